import { z } from 'zod';
import { At, TurnId } from './ids';

/** What became of a file over a turn or a session. */
export const ChangeKind = z.enum(['created', 'modified']);
export type ChangeKind = z.infer<typeof ChangeKind>;

/**
 * How a file is now: as the agent left it, as it was before, changed since by somebody else, gone, or something
 * that cannot be read. Only what is `as_left` can be reverted.
 */
export const ChangeState = z.enum(['as_left', 'as_before', 'edited', 'missing', 'unreadable']);
export type ChangeState = z.infer<typeof ChangeState>;

/** A file that tools of Belay have changed. What commands and outside agents write by themselves is not known. */
export const FileChange = z.object({
  /** Absolute. */
  path: z.string(),
  kind: ChangeKind,
  binary: z.boolean(),
  /** Lines; absent for a binary file. */
  added: z.number().int().optional(),
  removed: z.number().int().optional(),
  state: ChangeState,
  /** The turns that changed it, oldest first. */
  turns: z.array(TurnId),
  changedAt: At,
});
export type FileChange = z.infer<typeof FileChange>;

/** Why a file was not reverted. */
export const RevertRefusal = z.enum([
  'edited_since',
  'changed_later',
  'missing',
  'unreadable',
  /** The person has unsaved changes in it. */
  'unsaved',
  'host_paused',
  'not_written',
]);
export type RevertRefusal = z.infer<typeof RevertRefusal>;

export const Reverted = z.object({
  path: z.string(),
  outcome: z.enum(['reverted', 'refused']),
  reason: RevertRefusal.optional(),
  /** The same for the person, as a sentence. */
  detail: z.string().optional(),
});
export type Reverted = z.infer<typeof Reverted>;
