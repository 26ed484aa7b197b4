/** How a thread of codex app-server begins, and goes on in another process. */
import type { HarnessOpen } from '../../../engine/harnessPort';
import type { AgentTools } from '../../../engine/ports';

/**
 * `untrusted`: codex asks for every command that is not plainly harmless, and for every edit, so that Belay's rules
 * decide in every mode; its sandbox keeps what is not asked for.
 */
export const threadParams = (
  options: Pick<HarnessOpen, 'model' | 'folder' | 'mode'>,
  tools: AgentTools | undefined,
): object => ({
  cwd: options.folder,
  approvalPolicy: 'untrusted',
  sandbox: options.mode === 'full' ? 'danger-full-access' : 'workspace-write',
  ...(options.model === undefined ? {} : { model: options.model }),
  ...(tools === undefined || tools.specs.length === 0
    ? {}
    : {
        dynamicTools: tools.specs.map(({ name, description, schema }) => ({
          type: 'function',
          name,
          description,
          inputSchema: schema,
        })),
      }),
});

/** Tools that a thread was begun with are there again by themselves. */
export const resumeParams = (
  thread: string,
  options: Pick<HarnessOpen, 'model' | 'folder' | 'mode'>,
): object => ({ ...threadParams(options, undefined), threadId: thread, excludeTurns: true });

/** What a resume that finds nothing is refused with. */
export const isLostThread = (message: string): boolean =>
  /not found|no rollout|unknown thread|invalid thread|no such/i.test(message);
