/** How a session of an ACP agent goes on in another process: as the agent says that it can. */
import { z } from 'zod';
import { say } from '../../../../protocol';
import type { HarnessOutcome } from '../../../engine/harnessPort';
import { methodsOf, type SignInMethod } from '../acpSignIn';

const Capabilities = z.looseObject({
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().optional(),
      sessionCapabilities: z.looseObject({ resume: z.unknown().optional() }).optional(),
      mcpCapabilities: z.looseObject({ http: z.boolean().optional() }).optional(),
      promptCapabilities: z.looseObject({ image: z.boolean().optional() }).optional(),
    })
    .optional(),
});

export interface AgentSays {
  /** `resume` replays nothing; `load` tells everything again before its reply. */
  readonly resume: 'resume' | 'load' | 'none';
  readonly mcpHttp: boolean;
  readonly images: boolean;
  readonly signIn: readonly SignInMethod[];
}

export function agentSays(initialized: unknown): AgentSays {
  const told = Capabilities.safeParse(initialized).data?.agentCapabilities;
  const resumes = told?.sessionCapabilities?.resume;
  return {
    resume:
      resumes !== undefined && resumes !== null ? 'resume' : told?.loadSession === true ? 'load' : 'none',
    mcpHttp: told?.mcpCapabilities?.http === true,
    images: told?.promptCapabilities?.image === true,
    signIn: methodsOf(initialized),
  };
}

/** A resume found nothing, or the agent cannot resume at all. */
export class Lost extends Error {}

export function failedBy(error: unknown): HarnessOutcome {
  if (error instanceof Lost)
    return {
      kind: 'failed',
      code: 'conversation_lost',
      detail: say('The agent no longer has this conversation. Send the task again to begin a new one.'),
      lost: true,
    };
  return {
    kind: 'failed',
    code: 'agent_failed',
    detail: error instanceof Error ? error.message : String(error),
  };
}
