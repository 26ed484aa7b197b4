/** What the hosts of a user's windows say to each other. */
import { z } from 'zod';
import { Ended } from '../../../protocol';

const Empty = z.object({});
const by = z.string().min(1).max(128);

/** A window as its own host tells of it. */
export const WindowState = z.object({
  /** The folders that it works in. */
  name: z.string(),
  paused: z.boolean(),
  ended: z.array(Ended),
  stopping: z.array(Ended),
  /** What a release starts, or has started. */
  starting: z.array(Ended),
});
export type WindowState = z.infer<typeof WindowState>;

/** Each is answered with the window as it is then. */
export const WindowMethods = {
  'window/pause': z.object({ by, reason: z.string().max(1024).optional() }),
  'window/resume': z.object({ by }),
  'window/status': Empty,
} as const;
export type WindowMethod = keyof typeof WindowMethods;
export type WindowParams<M extends WindowMethod> = z.infer<(typeof WindowMethods)[M]>;
