/**
 * What waits for the person, put to an ACP client as permission requests.
 *
 * Owns: which requests are on the client's screen. Does not own: the requests; they are rows of the host. 1. Each is
 * put once to each thread that shows its session, and again to one that comes back, whether or not a turn runs.
 * 2. One that ends otherwise is taken off the screen. 3. "Cancelled" is no verdict: the request goes on waiting.
 */
import type { RequestPermissionOutcome, RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { Approval } from '../protocol/approval';
import type { Need } from '../protocol/host';
import type { Question } from '../protocol/question';
import type { HostLink } from './hostLink';
import { answersTo, wantsWords } from './answers';
import { callKey, kindOf, previewOf } from './updates';
import { say } from '../protocol/say';

export type AskPermission = (
  request: RequestPermissionRequest,
  signal: AbortSignal,
) => Promise<RequestPermissionOutcome>;

const BY = say('you from the other editor');

export class Requests {
  private readonly shown = new Map<string, AbortController>();

  constructor(
    private readonly host: HostLink,
    private readonly ask: AskPermission,
    private readonly warn: (text: string) => void,
  ) {}

  /** Puts a request that is not on the screen yet. */
  put(need: Need): void {
    const name = nameOf(need);
    if (this.shown.has(name) || (need.kind === 'question' && wantsWords(need.question))) return;
    const abort = new AbortController();
    this.shown.set(name, abort);
    const answered =
      need.kind === 'approval'
        ? this.putApproval(need.approval, abort.signal)
        : this.putQuestion(need.question, abort.signal);
    answered
      .catch((error: unknown) => this.warn(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        if (this.shown.get(name) === abort) this.shown.delete(name);
      });
  }

  /** A thread has come back: what it had on its screen before is gone there. */
  putAgain(needs: readonly Need[]): void {
    for (const need of needs) {
      this.takeOff(need.kind === 'approval' ? need.approval.id : need.question.id);
      this.put(need);
    }
  }

  /** It has its end. */
  takeOff(id: string): void {
    for (const [name, abort] of this.shown)
      if (name.startsWith(`${id}#`)) {
        this.shown.delete(name);
        abort.abort();
      }
  }

  private async putApproval(approval: Approval, signal: AbortSignal): Promise<void> {
    const outcome = await this.ask(approvalRequest(approval), signal);
    if (outcome.outcome !== 'selected' || signal.aborted) return;
    const offer = approval.offers[Number(outcome.optionId)];
    const isAllowed = offer !== undefined || outcome.optionId === 'once';
    await this.host.request('approval/answer', {
      approval: approval.id,
      request: approval.request,
      decision: isAllowed ? 'allow' : 'deny',
      by: BY,
      ...(offer === undefined ? {} : { scope: offer.scope, match: offer.match }),
    });
  }

  private async putQuestion(question: Question, signal: AbortSignal): Promise<void> {
    const outcome = await this.ask(questionRequest(question), signal);
    if (outcome.outcome !== 'selected' || signal.aborted) return;
    const answer = answersTo(question)[Number(outcome.optionId)]?.answer;
    if (answer === undefined) return;
    await this.host.request('question/answer', { question: question.id, answer, by: BY });
  }
}

/** Announced again, an approval is another request. */
const nameOf = (need: Need): string =>
  need.kind === 'approval' ? `${need.approval.id}#${String(need.approval.request)}` : `${need.question.id}#0`;

function approvalRequest(approval: Approval): RequestPermissionRequest {
  return {
    sessionId: approval.session,
    toolCall: {
      toolCallId: callKey(approval.turn, approval.call),
      title: approval.title,
      kind: kindOf(approval.tool),
      status: 'pending',
      rawInput: approval.args,
      content: previewOf(approval.preview, `${approval.title}\n${approval.why}`),
    },
    options: [
      { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
      ...approval.offers.map((offer, n) => ({
        optionId: String(n),
        name: `Allow ${offer.scope === 'session' ? 'for this session' : 'in this workspace'}: ${offer.label}`,
        kind: 'allow_always' as const,
      })),
      { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
    ],
  };
}

function questionRequest(question: Question): RequestPermissionRequest {
  return {
    sessionId: question.session,
    toolCall: {
      toolCallId: callKey(question.turn, question.call),
      title: question.title,
      kind: 'other',
      status: 'pending',
      rawInput: question.args,
    },
    options: answersTo(question).map(({ name, kind }, n) => ({ optionId: String(n), name, kind })),
  };
}
