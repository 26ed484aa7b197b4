/** What the tests of models share: a model port on a scripted server, and calls to it. */
import type { ContextItem, PlannedCall, Settings, SessionId, ToolSpec } from '../../protocol';
import { ModelFailure, type ModelAnswer, type ModelCall, type ModelPort } from '../../host/engine/ports';
import type { Clock, Timer } from '../../host/base/clock';
import type { Launch } from '../../host/base/launch';
import { createModels, type ModelsNeed } from '../../host/adapters/models/models';
import type { Attempt } from '../../host/adapters/models/wire';
import type { ModelServer, Recorded } from '../support/modelServer';
import { directWeb } from '../support/directWeb';

type Kind = 'anthropic' | 'openai' | 'openai-compatible';

/** A port with one provider `local` of one model `m1` on the server. */
export function modelsFor(
  server: ModelServer,
  kind: Kind = 'openai-compatible',
  more: Partial<ModelsNeed> = {},
): ModelPort {
  const settings: Settings['models'] = {
    providers: { local: { kind, baseUrl: server.url, models: [{ id: 'm1', contextWindow: 200_000 }] } },
  };
  return createModels({
    settings: () => settings,
    secret: () => Promise.resolve(kind === 'openai-compatible' ? undefined : 'key-1'),
    env: {},
    editor: { offered: () => [], request: () => Promise.reject(new Error('no editor')) },
    clock: handClock(),
    stallMs: () => 120_000,
    log: () => undefined,
    secrets: () => ({ names: [], values: [] }),
    web: directWeb(),
    ...more,
  });
}

export const SESSION = 's1' as SessionId;

export function callOf(call: Partial<ModelCall>): ModelCall {
  return { model: 'local/m1', system: '', items: [], tools: [], session: SESSION, ...call };
}

/** An attempt that is never made, for what is written from it. */
export function attemptFor(call: ModelCall, more: Partial<Attempt> = {}): Attempt {
  return {
    call,
    provider: { name: 'local', baseUrl: undefined, key: undefined, hide: (text) => text },
    model: 'm1',
    maxOutput: undefined,
    price: undefined,
    reasons: false,
    launch: free,
    signal: new AbortController().signal,
    onPiece: () => undefined,
    clock: handClock(),
    stallMs: 1000,
    fetch: () => Promise.reject(new Error('not sent')),
    quirks: {},
    ...more,
  };
}

export const user = (text: string): ContextItem => ({ kind: 'user', text });
export const assistant = (text: string, calls: PlannedCall[] = []): ContextItem => ({
  kind: 'assistant',
  text,
  calls,
});
export const result = (callId: string, output: object): ContextItem => ({
  kind: 'result',
  callId,
  tool: 'read',
  output: JSON.stringify(output),
  failed: false,
});
export const planned = (callId: string, tool: string, args: object): PlannedCall => ({
  callId,
  tool,
  args: JSON.stringify(args),
});
export const readTool: ToolSpec = {
  name: 'read',
  description: 'Reads a file.',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** The n-th request that the server has seen; a missing one fails the test. */
export function sent(server: ModelServer, n = 0): Recorded {
  const request = server.requests[n];
  if (request === undefined) throw new Error(`The server has seen ${server.requests.length} requests.`);
  return request;
}

export const free: Launch = (effect) => effect();

/** Makes one attempt and gives the answer with the pieces as `kind:text`. */
export async function run(
  models: ModelPort,
  call: ModelCall,
  {
    launch = free,
    signal = new AbortController().signal,
    onPiece,
  }: { launch?: Launch; signal?: AbortSignal; onPiece?: () => void } = {},
): Promise<{ answer: ModelAnswer; pieces: string[] }> {
  const pieces: string[] = [];
  const answer = await models.answer(call, launch, signal, (piece) => {
    pieces.push(`${piece.kind}:${piece.text}`);
    onPiece?.();
  });
  return { answer, pieces };
}

/** The failure that an attempt ends with; anything else fails the test. */
export async function failing(attempt: Promise<unknown>): Promise<ModelFailure> {
  const outcome = await attempt.then(
    () => new Error('It did not fail.'),
    (error: unknown) => error,
  );
  if (outcome instanceof ModelFailure) return outcome;
  throw outcome;
}

export interface HandClock extends Clock {
  /** Moves time on and fires what is due, in order. */
  pass(ms: number): void;
  readonly set: number;
}

/** A clock that stands until it is turned. */
export function handClock(start = 1_790_000_000_000): HandClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, run): Timer => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return { clear: () => void (timers = timers.filter((each) => each !== timer)) };
    },
    pass: (ms) => {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((timer) => timer !== due);
        now = due.at;
        due.run();
      }
      now = until;
    },
    get set() {
      return timers.length;
    },
  };
}
