import { z } from 'zod';
import { At, TurnId } from './ids';

/** What became of a file over a turn or a session. */
export const ChangeKind = z.enum(['created', 'modified', 'deleted']);
export type ChangeKind = z.infer<typeof ChangeKind>;

/**
 * How a file is now: as the agent left it, as it was before, changed since by somebody else, gone, or something
 * that cannot be read. Only what is `as_left` can be reverted.
 */
export const ChangeState = z.enum(['as_left', 'as_before', 'edited', 'missing', 'unreadable']);
export type ChangeState = z.infer<typeof ChangeState>;

/**
 * A file that tools of Belay have changed, or outside agents by edits that they tell of. What commands write, and what
 * agents change without a word, is not known.
 */
export const FileChange = z.object({
  /** Absolute. */
  path: z.string(),
  kind: ChangeKind,
  /** Nobody knows what it was before: an agent told of it only afterwards. It has no counts and cannot be reverted. */
  unknownBefore: z.literal(true).optional(),
  /** What it held afterwards is not kept, and it has no counts. */
  unkept: z.literal(true).optional(),
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
  'before_unknown',
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
