import { z } from 'zod';
import { At } from './ids';

/** The name of an MCP server as its tools carry it: letters, digits, `_` and `-`. */
export const ServerId = z.string().min(1).max(64).brand<'ServerId'>();
export type ServerId = z.infer<typeof ServerId>;

/** A value that a configuration asks for (`${input:ID}`): a person gives it, and the client keeps it. */
export const ServerInput = z.object({
  id: z.string(),
  /** The name under which the client keeps it for `secret/get`. */
  secret: z.string(),
  description: z.string(),
  /** It is hidden while it is typed, and never shown. */
  password: z.boolean(),
  default: z.string().optional(),
  /** One of these is chosen; none of them: any text. */
  options: z.array(z.object({ label: z.string(), value: z.string() })),
  /** The last start found no value. */
  missing: z.boolean(),
});
export type ServerInput = z.infer<typeof ServerInput>;

/**
 * - `needs_consent`: it comes from the workspace, and nobody has allowed exactly this configuration (A12).
 * - `idle`: it starts when it is first needed.
 * - `backing_off`: it has ended by itself and is started again after a pause (M3).
 * - `stopping`: its process is being ended; what is to come starts after it is gone.
 * - `stopped`: a person has stopped it; it stays so until a person starts it.
 * - `needs_sign_in`: it wants a person to sign in (`server/signIn`).
 * - `needs_input`: it lacks values that a person must give: `inputs` says which.
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
  'needs_sign_in',
  'needs_input',
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
  /** A sign-in over HTTP (OAuth): wanted, under way in a browser, or done. Absent when none is known of. */
  account: z.enum(['needed', 'under_way', 'signed_in']).optional(),
  /** What its configuration asks a person for. */
  inputs: z.array(ServerInput).optional(),
  changedAt: At,
});
export type Server = z.infer<typeof Server>;

export const SignInBegin = z.object({ server: ServerId, redirectUri: z.url().max(4096) });

/** What a browser has come back with: the query of the address that it was led to. */
export const SignInAnswer = z.object({
  state: z.string().max(512),
  code: z.string().max(8192).optional(),
  error: z.string().max(512).optional(),
  errorDescription: z.string().max(4096).optional(),
  /** `iss`: the authorization server that answers. */
  issuer: z.string().max(2048).optional(),
});
export type SignInAnswer = z.infer<typeof SignInAnswer>;
