/**
 * The built-in model `rehearsal/demo`: no AI, no key, no network. It plays a task by a script, so that all of
 * Belay can be tried on a fresh machine, and says so in its first and last words.
 */
import { say, type ModelInfo } from '../../../protocol';
import type { ModelAnswer } from '../../engine/ports';
import type { Clock } from '../../base/clock';
import { Collector } from './collector';
import { nextStep } from './rehearsalPlan';
import type { Attempt } from './wire';

/** The name of the provider that is always there. */
export const REHEARSAL = 'rehearsal';
export const REHEARSAL_MODEL = 'demo';

export const rehearsalInfo: ModelInfo = {
  id: `${REHEARSAL}/${REHEARSAL_MODEL}`,
  name: 'Rehearsal (no AI)',
  provider: REHEARSAL,
  ready: true,
  note: say('Plays a task by a script: no AI, no key, no network.'),
};

/** How much is said at once, characters, and how long it takes, ms: about as fast as one reads along. */
const PIECE = 12;
const PAUSE_MS = 25;

export async function answerByRehearsal(attempt: Attempt): Promise<ModelAnswer> {
  const { call, signal, clock, launch } = attempt;
  signal.throwIfAborted();
  // Nothing leaves the machine, but a paused host starts no answer of a model either (P1).
  launch(() => undefined);
  const step = nextStep(call.items, new Set(call.tools.map(({ name }) => name)));
  const collected = new Collector(attempt);
  for (const piece of pieces(step.text)) {
    await pause(clock, PAUSE_MS, signal);
    collected.addText(piece);
  }
  for (const { tool, args } of step.calls)
    collected.addArgs(collected.openCall('', tool), JSON.stringify(args));
  return collected.answer('end', undefined, undefined, REHEARSAL);
}

/** Whole words, a few at a time. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let piece = '';
  for (const word of text.split(/(?<=\s)/)) {
    piece += word;
    if (piece.length < PIECE) continue;
    found.push(piece);
    piece = '';
  }
  return piece === '' ? found : [...found, piece];
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.after(ms, done);
    function done(): void {
      timer.clear();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
  signal.throwIfAborted();
}
