/**
 * The language between the stdio shim and the host (C3, C4), over a local socket or through files. It has no
 * schemas: the shim starts with every agent and must be small. What is read is checked by hand.
 */
import type { Image } from './message';

/** Names of the environment variables by which a shim is told where its host is. */
export const SHIM_ENV = {
  /** Path of a JSON file with the tools: `[{name, description, inputSchema, timeoutMs?}]`. */
  tools: 'BELAY_TOOLS_FILE',
  /** Path of a local socket; without it the shim uses the relay's folder. */
  socket: 'BELAY_TOOLS_SOCKET',
  dir: 'BELAY_RELAY_DIR',
  /** Proves that a request comes from the shim that this was given to. */
  nonce: 'BELAY_RELAY_NONCE',
  /** The turn that the shim belongs to. */
  turn: 'BELAY_RELAY_TURN',
} as const;

export interface ShimTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Its own time for an answer, ms. */
  readonly timeoutMs?: number;
}

export interface RelayRequest {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly turn: string;
  readonly nonce: string;
}

/** A reader tests `paused` first: else a pause looks like an empty success. */
export type RelayAnswer =
  | { readonly ok: true; readonly text: string; readonly images?: readonly Image[] }
  | { readonly ok: false; readonly error: string }
  | { readonly ok: true; readonly paused: true };

/** Over the socket each of these is a line of JSON. The first line of a shim is its greeting. */
export interface SocketHello {
  readonly nonce: string;
  readonly turn: string;
}
export type ToHost =
  | { readonly id: number; readonly toolName: string; readonly toolCallId?: string; readonly args: unknown }
  | { readonly cancel: number };
export type ToShim =
  { readonly id: number; readonly answer: RelayAnswer } | { readonly id: number; readonly progress: string };

const ID_CHARS = 120;

/** The name that a call has in the relay's folder: nothing in it can lead elsewhere. */
export const relayId = (toolCallId: string): string =>
  toolCallId.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, ID_CHARS) || 'tool';

export const requestFile = (id: string): string => `${id}.req.json`;
export const answerFile = (id: string): string => `${id}.res.json`;
/** Written whole under this name, then renamed: a reader never sees half of it. */
export const temporaryFile = (final: string, nonce: string): string => `${final}.tmp.${relayId(nonce)}`;

const REQUEST = /^([A-Za-z0-9_-]{1,120})\.req\.json$/;
const OWN = /^[A-Za-z0-9_-]{1,120}\.(?:req|res)\.json(?:\.tmp\.[A-Za-z0-9_-]{1,120})?$/;

/** The id of a request by its file's name. */
export const requestIdOf = (name: string): string | undefined => REQUEST.exec(name)?.[1];
/** Whether a name is the relay's own: only those are swept. */
export const isRelayName = (name: string): boolean => OWN.test(name);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readRequest(text: string): RelayRequest | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { toolName, toolCallId, args = {}, turn, nonce } = value;
  if (typeof toolName !== 'string' || typeof toolCallId !== 'string') return undefined;
  if (typeof turn !== 'string' || typeof nonce !== 'string') return undefined;
  return { toolName, toolCallId, args, turn, nonce };
}

export function readAnswer(value: unknown): RelayAnswer | undefined {
  if (!isRecord(value) || typeof value['ok'] !== 'boolean') return undefined;
  if (value['paused'] === true) return value['ok'] ? { ok: true, paused: true } : undefined;
  if (!value['ok']) return { ok: false, error: typeof value['error'] === 'string' ? value['error'] : '' };
  if (typeof value['text'] !== 'string') return undefined;
  const images = Array.isArray(value['images']) ? value['images'].filter(isImage) : [];
  return { ok: true, text: value['text'], ...(images.length === 0 ? {} : { images }) };
}

const isImage = (value: unknown): value is Image =>
  isRecord(value) && typeof value['data'] === 'string' && typeof value['mediaType'] === 'string';

export const isPaused = (answer: RelayAnswer): answer is Extract<RelayAnswer, { paused: true }> =>
  'paused' in answer;

/** For every reader that holds no pause: one that reaches it is a fault, and is told as one. */
export function settledAnswer(answer: RelayAnswer, tool: string): Exclude<RelayAnswer, { paused: true }> {
  if (isPaused(answer)) throw new Error(`unexpected paused relay answer for tool '${tool}'`);
  return answer;
}

/**
 * The neutral text of a call that is held no longer (C5): what is going on, and that nothing is to be repeated.
 * It is no error, so that the agent neither gives up nor tries again.
 */
export const acknowledgement = (tool: string): string =>
  `${tool}: the person has been asked in the editor and will answer there. This is handled outside of this call. ` +
  `Do not call ${tool} again for it and do not retry: the answer is delivered to you when the person has given it. ` +
  'Continue with what does not depend on it, or end your reply.';
