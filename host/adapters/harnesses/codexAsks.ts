/** Requests of codex's process that wait for a verdict or an answer. Owns how each of them is to be answered. */
import { say } from '../../../protocol';
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
  /** Questions whose answer was written: codex says when it has taken it. */
  private readonly answered = new Set<string>();

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
        return {
          event: unknownAsk(request, method, params),
          reply: { id, error: { code: -32601, message: `Belay does not serve ${method}.` } },
        };
    }
  }

  /** The message that answers; undefined when nobody waits for it. */
  answer(request: string, verdict: HarnessVerdict): object | undefined {
    const form = this.forms.get(request);
    if (form === undefined) return undefined;
    this.forms.delete(request);
    if (form.kind !== 'decision') this.answered.add(request);
    return { id: idOf(request), result: answerOf(form, verdict) };
  }

  /** The process no longer waits; its name for the request, where it did or was answered a question. */
  close(id: number | string): string | undefined {
    const request = nameOf(id);
    const wasAnswered = this.answered.delete(request);
    return this.forms.delete(request) || wasAnswered ? request : undefined;
  }
}

/** A request for a person that is not known here; what codex asks of its client alone is for the log. */
function unknownAsk(request: string, method: string, params: unknown): HarnessEvent {
  if (!FOR_A_PERSON.test(method))
    return { kind: 'notice', text: `It asked for ${method}, which Belay does not serve.` };
  return {
    kind: 'unasked',
    call: {
      id: `asked:${request}`,
      tool: method.slice(0, NAME_CHARACTERS),
      title: method.slice(0, NAME_CHARACTERS),
      args: params ?? {},
      deed: { kind: 'other' },
    },
    detail: say('Codex asked for something that this version of Belay does not know. Belay said so to it.'),
  };
}

const FOR_A_PERSON = /request|approval/i;
/** Of a method's name. */
const NAME_CHARACTERS = 128;
