/**
 * The only file that touches the editor's message channel.
 *
 * Owns: the channel, the numbers of requests, and who waits for which reply. Does not own: what a message means.
 * Invariants: (1) every request settles once; (2) messages are handed on in the order in which they came;
 * (3) what does not look like a message of `ToPage` is dropped.
 */
import type { EditorCommand, FromPage, ToPage, ToPageType, WrittenPart } from './bridgeProtocol';
import type { Method, ParamsOf, ResultOf } from '../protocol/methods';
import type { SessionId } from '../protocol/ids';
import { isRecord, RequestRefused } from './state/values';

interface EditorApi {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): EditorApi;

/** Replies are handed on in the order of events, so a reply's reader runs before the next event's. */
interface Waiter {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: RequestRefused) => void;
}

/** What comes without being asked for. */
export type Told = Exclude<ToPage, { type: 'reply' }>;

const api = acquireVsCodeApi();
const waiters = new Map<number, Waiter>();
let lastId = 0;

/** Calls `hear` for everything that is no reply, then tells the editor that the page of this id listens. */
export function listen(page: string, hear: (message: Told) => void): void {
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (!isToPage(message)) return;
    if (message.type === 'reply') settle(message);
    else hear(message);
  });
  api.postMessage({ type: 'ready', page });
}

/** Asks the host. `settled` is called synchronously with the reply, before anything that came after it. */
export function ask<M extends Method>(
  method: M,
  params: ParamsOf<M>,
  settled: (result: ResultOf<M>) => void,
  refused: (error: RequestRefused) => void,
): void {
  const id = ++lastId;
  waiters.set(id, {
    resolve: (result) => {
      if (isResult(method, result)) settled(result);
      else refused(new RequestRefused({ message: `The reply to ${method} holds nothing.` }));
    },
    reject: refused,
  });
  api.postMessage({ type: 'request', id, method, params });
}

export function request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
  return new Promise((resolve, reject) => ask(method, params, resolve, reject));
}

export function command(what: EditorCommand): void {
  api.postMessage({ type: 'command', ...what });
}

export function tellShown(session: SessionId | undefined): void {
  api.postMessage(session === undefined ? { type: 'open' } : { type: 'open', session });
}

export function tellDrawn(needs: readonly string[]): void {
  api.postMessage({ type: 'drawn', needs });
}

export function tellWritten(part: WrittenPart, value: unknown): void {
  api.postMessage({ type: 'written', part, value });
}

export function readPageState(): unknown {
  return api.getState();
}

export function writePageState(state: unknown): void {
  api.setState(state);
}

function settle(reply: Extract<ToPage, { type: 'reply' }>): void {
  const waiter = waiters.get(reply.id);
  waiters.delete(reply.id);
  if (waiter === undefined) return;
  if ('error' in reply) waiter.reject(new RequestRefused(reply.error));
  else waiter.resolve(reply.result);
}

/** The host parses what it gets and builds what it sends from the same types: its results are trusted here. */
function isResult<M extends Method>(_method: M, result: unknown): result is ResultOf<M> {
  return isRecord(result);
}

const KINDS: Readonly<Record<ToPageType, true>> = {
  reply: true,
  event: true,
  state: true,
  visible: true,
  show: true,
  focus: true,
  attach: true,
  active: true,
  draft: true,
  files: true,
};

function isToPage(message: unknown): message is ToPage {
  return isRecord(message) && typeof message['type'] === 'string' && Object.hasOwn(KINDS, message['type']);
}
