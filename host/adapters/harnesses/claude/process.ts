/** How Claude Code is started: the person's own binary, in the session's folder, with both streams open. */
import { basename, dirname, join } from 'node:path';
import type { HarnessOpen } from '../../../engine/harnessPort';
import { findProgram } from '../../../base/programs';
import { firstFile, followed } from '../find';
import type { AgentRequest, Surroundings } from '../outside';
import { claudeArgs } from './resume';

export const CLAUDE_INSTALL = 'npm install -g @anthropic-ai/claude-code';

type Around = Pick<Surroundings, 'settings' | 'env' | 'platform' | 'arch'>;

export function claudeProgram(around: Around): string | undefined {
  const found = findProgram(around.settings().claude?.path ?? 'claude', around.env, around.platform);
  return found === undefined ? undefined : (nativeBinary(found, around) ?? found);
}

/** The package's own entry is a placeholder until its install script has run; the binary is in a package beside it. */
function nativeBinary(path: string, { platform, arch }: Around): string | undefined {
  const entry = followed(path);
  const root = dirname(dirname(entry));
  if (basename(root) !== 'claude-code') return undefined;
  const binary = platform === 'win32' ? 'claude.exe' : 'claude';
  const name = `claude-code-${platform}-${arch}`;
  return firstFile([
    join(dirname(root), name, binary),
    join(root, 'node_modules', '@anthropic-ai', name, binary),
  ]);
}

export function claudeRequest(
  options: Pick<HarnessOpen, 'model' | 'folder'>,
  resume: string | undefined,
  hasTools: boolean,
  around: Surroundings,
): AgentRequest | undefined {
  const file = claudeProgram(around);
  if (file === undefined) return undefined;
  return {
    file,
    args: claudeArgs({ model: options.model, resume, hasTools }),
    folder: options.folder,
    env: { DISABLE_AUTOUPDATER: '1', ...around.settings().claude?.env },
    input: true,
  };
}
