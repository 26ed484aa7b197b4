import { z } from 'zod';

/** An outside agent as the picker shows it. */
export const HarnessInfo = z.object({
  /** What a session names as its `harness`. */
  id: z.string(),
  name: z.string(),
  /** Whether its program is on this machine. */
  found: z.boolean(),
  /** Absolute path of its program, or the command that the settings name. */
  path: z.string().optional(),
  version: z.string().optional(),
  /** A sentence on what the person should know before choosing it. */
  note: z.string(),
  /** How to get it; present when it was not found. */
  install: z.string().optional(),
});
export type HarnessInfo = z.infer<typeof HarnessInfo>;

/** A model of an outside agent, as it names it itself: `id` is what a session's `agent.model` says. */
export const HarnessModel = z.object({
  id: z.string().min(1).max(256),
  name: z.string(),
  detail: z.string().optional(),
  /** It is the one that the agent takes when none is named. */
  usual: z.literal(true).optional(),
});
export type HarnessModel = z.infer<typeof HarnessModel>;

const Env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());
const Program = z.strictObject({ path: z.string().min(1).max(4096).optional(), env: Env.optional() });
const Acp = z.strictObject({
  command: z.string().min(1).max(4096),
  args: z.array(z.string()).max(256).optional(),
  env: Env.optional(),
});

/** Where the programs of outside agents are, and with what environment they run. */
export const HarnessSettings = z.strictObject({
  codex: Program.optional(),
  claude: Program.optional(),
  acp: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i), Acp).optional(),
});
export type HarnessSettings = z.infer<typeof HarnessSettings>;

/** What a message that was handed to an outside agent waits for. */
export const Handed = z.enum(['next_step', 'after_request']);
export type Handed = z.infer<typeof Handed>;

/** How an outside agent's turn was ended from outside: the step after which it was gone, and who survived. */
export const StoppedBy = z.object({ step: z.string(), survivors: z.array(z.number().int()) });
export type StoppedBy = z.infer<typeof StoppedBy>;
