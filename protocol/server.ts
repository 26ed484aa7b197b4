import { z } from 'zod';
import { At } from './ids';

/** The name of an MCP server as its tools carry it: letters, digits, `_` and `-`. */
export const ServerId = z.string().min(1).max(64).brand<'ServerId'>();
export type ServerId = z.infer<typeof ServerId>;

/**
 * - `needs_consent`: it comes from the workspace, and nobody has allowed exactly this configuration (A12).
 * - `idle`: it starts when it is first needed.
 * - `backing_off`: it has ended by itself and is started again after a pause (M3).
 * - `stopping`: its process is being ended; what is to come starts after it is gone.
 * - `stopped`: a person has stopped it; it stays so until a person starts it.
 * - `failed`: it cannot start, or has ended too often; `error` says why.
 */
export const ServerState = z.enum([
  'needs_consent',
  'idle',
  'starting',
  'ready',
  'backing_off',
  'stopping',
  'stopped',
  'failed',
]);
export type ServerState = z.infer<typeof ServerState>;

/** A tool of a server; what the server says of itself (`hints`) is shown and not believed. */
export const ServerTool = z.object({
  /** As a model calls it: `SERVER__TOOL`. */
  name: z.string(),
  /** As the server calls it. */
  title: z.string(),
  description: z.string(),
  hints: z.array(z.enum(['readOnly', 'destructive', 'idempotent', 'openWorld'])),
});
export type ServerTool = z.infer<typeof ServerTool>;

export const Server = z.object({
  id: ServerId,
  /** As it is named where it is configured. */
  name: z.string(),
  source: z.enum(['settings', 'workspace']),
  /** Absolute path of the file that configures it, for a server of the workspace. */
  file: z.string().optional(),
  transport: z.enum(['stdio', 'http']),
  /** What runs or is reached, in one line: the command line, or the address. */
  target: z.string(),
  state: ServerState,
  tools: z.array(ServerTool),
  /** The last error, as a sentence. */
  error: z.string().optional(),
  /** How often it was started again since a person or a need started it. */
  restarts: z.number().int().nonnegative(),
  pid: z.number().int().optional(),
  /** What it says of itself: name and version. */
  version: z.string().optional(),
  /** Present while consent is missing: what is asked for. */
  consent: z.object({ hash: z.string(), text: z.string() }).optional(),
  /** True when it wants the person to sign in (`server/start` begins that). */
  signIn: z.boolean().optional(),
  changedAt: At,
});
export type Server = z.infer<typeof Server>;
