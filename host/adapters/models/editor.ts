/**
 * Models that the editor itself offers (`vscode.lm`): the client makes the request, this side gathers the
 * answer as from any other provider.
 */
import { z } from 'zod';
import {
  EDITOR_PROVIDER,
  TurnCode,
  type ModelDone,
  type ModelInfo,
  type ModelPart,
  type ModelRequest,
  say,
} from '../../../protocol';
import type { Clock } from '../../base/clock';
import { CordPulled } from '../../base/launch';
import { ModelFailure, type ModelAnswer, type StopReason } from '../../engine/ports';
import { Collector } from './collector';
import { stalled } from './failures';
import type { Attempt } from './wire';

/** What goes to the client; the side that sends it adds the request's id and the cord's epoch. */
export type EditorRequest = Omit<ModelRequest, 'request' | 'epoch'>;
export type EditorPart = ModelPart['part'];

/** The client's side of it, as the host sees it. */
export interface EditorModels {
  /** Models that the client has told of; none while there is no client. */
  offered(): readonly ModelInfo[];
  /**
   * Called inside `launch`, so it sends before it returns. Rejects when the client refuses, fails or goes;
   * an aborted signal cancels the request over there.
   */
  request(
    request: EditorRequest,
    onPart: (part: EditorPart) => void,
    signal: AbortSignal,
  ): Promise<ModelDone>;
}

export async function answerByEditor(attempt: Attempt, editor: EditorModels): Promise<ModelAnswer> {
  const { call, signal, clock, stallMs, provider } = attempt;
  signal.throwIfAborted();
  const collected = new Collector(attempt);
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', abort, { once: true });

  let failure: Error | undefined;
  const fail = (error: unknown): void => {
    failure ??= asFailure(error);
    controller.abort();
  };
  const watch = { timer: clock.after(stallMs, () => fail(stalled(provider, stallMs))) };
  const take = (part: EditorPart): void => {
    if (controller.signal.aborted) return;
    watch.timer.clear();
    watch.timer = clock.after(stallMs, () => fail(stalled(provider, stallMs)));
    try {
      gather(part, collected);
    } catch (error) {
      fail(error);
    }
  };

  const request: EditorRequest = {
    model: attempt.model,
    system: call.system,
    items: [...call.items],
    tools: [...call.tools],
  };
  const ended = new Promise<void>((resolve) =>
    controller.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const pending = attempt.launch(() => editor.request(request, take, controller.signal));
  try {
    // A client that does not obey its cancellation must not hold the turn.
    const done = await Promise.race([pending, ended]);
    if (done === undefined) throw new Error('aborted');
    return collected.answer(done.stop, counted(done), undefined, EDITOR_PROVIDER);
  } catch (error) {
    // A pause has answered only when nothing can leave any more, over there either (P2).
    if (signal.reason === PAUSED) await acknowledged(pending, clock);
    else pending.catch(() => undefined);
    signal.throwIfAborted();
    throw failure ?? asFailure(error);
  } finally {
    watch.timer.clear();
    signal.removeEventListener('abort', abort);
  }
}

/** The client has seen that it was cancelled: from then on it asks nobody. One that does not say so is not waited for. */
function acknowledged(pending: Promise<unknown>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ACKNOWLEDGED_MS, resolve);
    const done = (): void => {
      timer.clear();
      resolve();
    };
    pending.then(done, done);
  });
}

const PAUSED: StopReason = 'host_paused';
/** As long as the reply to a pause waits for what it ends, ms. */
const ACKNOWLEDGED_MS = 250;

function gather(part: EditorPart, collected: Collector): void {
  switch (part.kind) {
    case 'text':
      return collected.addText(part.text);
    case 'reasoning':
      return collected.addReasoning(part.text);
    case 'call':
      return collected.addArgs(collected.openCall(part.call.callId, part.call.tool), part.call.args);
  }
}

/** The client's refusal carries a code: that of the turn, or that of a cord which it knows to be pulled. */
const Refusal = z.looseObject({ data: z.looseObject({ code: z.string() }) });

function asFailure(error: unknown): Error {
  if (error instanceof CordPulled || error instanceof ModelFailure) return error;
  const told = Refusal.safeParse(error).data?.data.code;
  if (told === 'host_paused') return new CordPulled();
  const code = TurnCode.safeParse(told).data ?? 'model_unreachable';
  const reason = error instanceof Error ? error.message : String(error);
  return new ModelFailure(
    code,
    say(`The editor's model did not answer: {reason}`, { reason }),
    code === 'model_unreachable',
  );
}

function counted({ usage }: ModelDone): { input: number; output: number; cached: number } | undefined {
  return usage && { input: usage.inputTokens, output: usage.outputTokens, cached: usage.cachedTokens };
}
