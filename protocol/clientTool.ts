import { z } from 'zod';
import { CallId, QuestionId, SessionId, TurnId } from './ids';
import { CLIENT_TOOL_MOST_MS, CLIENT_TOOLS_A_CLIENT, TOOL_DESCRIPTION_CHARS } from './limits';

/** A client as it names itself. One that comes back after a reload names itself as before. */
export const ClientName = z.string().min(1).max(128);

/**
 * A tool that a client fulfils (C1). A name of Belay's own (`pick_files`, `open_diff`, `diagnostics`,
 * `request_secret`) says only that this client can do it: what the model is told of it is the host's.
 */
export const ClientToolSpec = z.object({
  name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/, 'letters, digits, "_" and "-", at most 64'),
  description: z.string().min(1).max(TOOL_DESCRIPTION_CHARS).optional(),
  /** A JSON schema of an object; arguments that do not fit are refused before anything is shown. */
  schema: z.record(z.string(), z.unknown()).optional(),
  /** A person answers: the request waits for its client however long that takes. */
  person: z.boolean().optional(),
  /** It changes nothing, so it is judged as a read inside the workspace; others ask like commands. */
  readOnly: z.boolean().optional(),
  /** Time for an answer that needs no person, ms. */
  timeoutMs: z.number().int().min(1).max(CLIENT_TOOL_MOST_MS).optional(),
});
export type ClientToolSpec = z.infer<typeof ClientToolSpec>;

export const ClientToolRegister = z.object({
  client: ClientName,
  /** All tools of this client from now on. */
  tools: z.array(ClientToolSpec).max(CLIENT_TOOLS_A_CLIENT),
});

/** A call of a client tool, from the host to the client that owns it. The reply is the answer. */
export const ClientToolRun = z.object({
  client: ClientName,
  question: QuestionId,
  session: SessionId,
  turn: TurnId,
  call: CallId,
  tool: z.string(),
  args: z.unknown(),
  /** Absolute path of the turn's folder. */
  folder: z.string(),
  /** Counts the deliveries of this call, from 1: a client that vanished may have had it before. */
  attempt: z.number().int().positive(),
  /** The cord's epoch under which it was decided: a client that knows a newer one refuses with `host_paused` (P2). */
  epoch: z.number().int(),
});
export type ClientToolRun = z.infer<typeof ClientToolRun>;

/** A client tool that the host knows, and who would serve it now. */
export const ClientTool = z.object({
  name: z.string(),
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
  person: z.boolean(),
  owner: ClientName.optional(),
});
export type ClientTool = z.infer<typeof ClientTool>;

/** The tool by which an agent asks a person to store a secret (C1). */
export const REQUEST_SECRET = 'request_secret';

/** The answer of a client that has stored a secret, as its whole text: no other text says that it did (C1). */
export const SECRET_STORED = 'stored';

/** The name under which a client keeps a secret that an agent has asked for; never one of Belay's own keys. */
export const toolSecretName = (name: string): string => `tool/${name}`;
