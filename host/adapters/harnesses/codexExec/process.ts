/** How `codex exec` is started: its own binary, in the session's folder, with the prompt on its input. */
import type { HarnessOpen } from '../../../engine/harnessPort';
import { codexEnv, codexProgram } from '../codexProgram';
import type { AgentRequest, Surroundings } from '../outside';
import { execArgs, hiddenEnv, type ExecRequest } from './resume';

/** What is there for a run before its process is. */
export type LaidOut = Pick<ExecRequest, 'tools' | 'pictures'>;

export function execRequest(
  options: Pick<HarnessOpen, 'model' | 'mode' | 'folder'>,
  resume: string | undefined,
  { tools, pictures }: LaidOut,
  around: Surroundings,
): AgentRequest | undefined {
  const file = codexProgram(around);
  if (file === undefined) return undefined;
  return {
    file,
    args: execArgs({ model: options.model, mode: options.mode, resume, tools, pictures }),
    folder: options.folder,
    env: { ...codexEnv(around), ...hiddenEnv(tools) },
    input: true,
  };
}
