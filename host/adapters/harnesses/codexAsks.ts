/** Requests of codex's process that wait for a verdict or an answer. Owns how each of them is to be answered. */
import type { HarnessEvent, HarnessVerdict } from '../../engine/harnessPort';
import { idOf, nameOf } from './jsonRpc';
import type { ToldCalls } from './toldCalls';
import { answerOf, askedFor, type AnswerForm } from './codexAppServer/mapApprovals';

export interface TakenAsk {
  readonly event?: HarnessEvent;
  /** What is answered at once. */
  readonly reply?: object;
}

export class Asks {
  private readonly forms = new Map<string, AnswerForm>();

  take(id: number | string, method: string, params: unknown, told: ToldCalls): TakenAsk {
    const request = nameOf(id);
    const asked = askedFor(method, params, told, request);
    switch (asked.kind) {
      case 'permission': {
        this.forms.set(request, asked.form);
        const why = asked.why === undefined ? {} : { why: asked.why };
        return { event: { kind: 'permission', request, call: asked.call, ...why } };
      }
      case 'question':
        this.forms.set(request, asked.form);
        return { event: { kind: 'question', request, call: asked.call, asked: asked.asked } };
      case 'unasked':
        return {
          event: { kind: 'unasked', call: asked.call, detail: asked.detail },
          reply: { id, result: asked.result },
        };
      case 'unknown':
        return { reply: { id, error: { code: -32601, message: `Belay does not serve ${method}.` } } };
    }
  }

  /** The message that answers; undefined when nobody waits for it. */
  answer(request: string, verdict: HarnessVerdict): object | undefined {
    const form = this.forms.get(request);
    if (form === undefined) return undefined;
    this.forms.delete(request);
    return { id: idOf(request), result: answerOf(form, verdict) };
  }

  /** The process no longer waits; its name for the request, where it did. */
  close(id: number | string): string | undefined {
    const request = nameOf(id);
    return this.forms.delete(request) ? request : undefined;
  }
}
