/** Verdicts and lapses: each request is answered exactly once (A2), and what it frees goes on. */
import {
  say,
  type ApprovalId,
  type Rule,
  type RuleMatch,
  type SessionId,
  type Verdict,
} from '../../../protocol';
import { fateOf, nextApproval } from '../approvals/approval';
import { judge, offersFor, partsFor } from '../approvals/judge';
import { isSameMatch } from '../approvals/origin';
import { nextCall } from '../calls/call';
import { refuse, RequestError } from '../errors';
import type { CallResult, Prepared } from '../ports';
import type { ApprovalRecord } from '../records';
import { blockingCall } from '../turns/loop';
import { editTold } from '../views';
import { agentVerdict } from './agentCalls';
import { callsOf } from './agentLive';
import { byRule, failure, parentOf, recordResult, renewRequest, settleCall, tighten } from './calls';
import { circumstances } from './circumstances';
import { askAgain } from './agentTools';
import { request, runKey, type Core, type Job } from './core';
import { keepEdit, prepareEdit, withEdit } from './editing';
import { liftedVerdict } from './lifts';
import { insertRule } from './ruleRows';
import { stepReady } from './steps';
import { proceed } from './turns';

export interface VerdictGiven {
  readonly approval: ApprovalId;
  readonly request: number;
  readonly decision: Verdict;
  readonly reason: string | undefined;
  readonly scope: 'once' | 'session' | 'workspace';
  readonly by: string;
  /** The offer of that scope that is meant; the first one where it is absent. */
  readonly match?: RuleMatch | undefined;
  /** The command as the person has changed it before allowing it. */
  readonly command?: string | undefined;
}

export interface VerdictRecorded {
  readonly decision: Verdict;
  readonly by: string;
  readonly at: number;
  readonly rule: Rule | undefined;
}

/** Records a verdict, on the command as the person has changed it where they have. */
export async function giveVerdict(core: Core, given: VerdictGiven): Promise<VerdictRecorded> {
  const edit =
    given.command === undefined ? undefined : await prepareEdit(core, given.approval, given.command);
  return request(core, (job) => answerApproval(core, job, given, edit));
}

/** Records a verdict, or refuses with the request's fate. First verdict wins. */
export function answerApproval(core: Core, job: Job, given: VerdictGiven, edit?: Prepared): VerdictRecorded {
  const approval = job.tx.approval(given.approval);
  if (approval === undefined) throw refuse('approval_unknown', { approval: given.approval });
  const fate = fateOf(approval, given.request, job.tx.now, core.cord.pulled);
  if (fate !== undefined) throw refuseFate(approval, fate);
  if (given.decision === 'allow' && !core.trusted()) throw refuse('untrusted_workspace');
  const decided = withEdit(core, job, approval, edit);
  const rule = given.decision === 'allow' ? writeRule(core, job, decided, given) : undefined;
  if (edit !== undefined) keepEdit(job, decided);
  decide(core, job, decided, given.decision, given.by, given.reason, rule);
  if (rule !== undefined) judgeAgain(core, job, rule.scope === 'session' ? approval.session : undefined);
  return { decision: given.decision, by: given.by, at: job.tx.now, rule };
}

function refuseFate(approval: ApprovalRecord, fate: NonNullable<ReturnType<typeof fateOf>>): RequestError {
  const { code, ...rest } = fate;
  const said =
    fate.code === 'approval_answered' ? { decision: fate.decision, by: fate.by, at: fate.at } : rest;
  const message =
    fate.code === 'approval_answered'
      ? fate.decision === 'allow'
        ? say('Already allowed by {by}.', { by: fate.by })
        : say('Already denied by {by}.', { by: fate.by })
      : fate.code === 'approval_lapsed'
        ? say('This request lapsed: nobody answered in time.')
        : refuse(fate.code).message;
  return new RequestError(code, message, { approval: approval.id, request: approval.request, ...said });
}

/** Only what is offered now: a rule that would not allow this very call is none that the person was promised (A3). */
function writeRule(core: Core, job: Job, approval: ApprovalRecord, given: VerdictGiven): Rule | undefined {
  if (given.scope === 'once') return undefined;
  const turn = job.tx.turn(approval.turn);
  const offers = turn === undefined ? [] : offersFor(approval.prepared, circumstances(core, job, turn));
  const { scope, match } = given;
  const offer = offers.find(
    (other) => other.scope === scope && (match === undefined || isSameMatch(other.match, match)),
  );
  if (offer === undefined)
    throw new RequestError(
      'invalid_params',
      say('No rule for "{scope}" can allow this request: allow it once.', { scope: given.scope }),
    );
  const parts = partsFor(offer.match, approval.prepared);
  return insertRule(job, {
    effect: 'allow',
    scope: offer.scope,
    match: offer.match,
    label: offer.label,
    createdAt: job.tx.now,
    by: given.by,
    ...(parts === undefined ? {} : { parts }),
    ...(offer.scope === 'session' ? { session: approval.session } : {}),
  });
}

/** The verdict's row, event and audit; then the call, its turn or its handle goes on. */
function decide(
  core: Core,
  job: Job,
  approval: ApprovalRecord,
  decision: Verdict,
  by: string,
  reason: string | undefined,
  rule: Rule | undefined,
): void {
  job.tx.changeApproval(approval.id, {
    state: nextApproval(approval.state, decision === 'allow' ? 'allowed' : 'denied'),
    by,
    reason,
    answeredAt: job.tx.now,
  });
  job.tx.emit(
    'approval_answered',
    {
      id: approval.id,
      request: approval.request,
      call_id: approval.call,
      decision,
      by,
      ...parentOf(approval),
      ...(reason === undefined ? {} : { reason }),
      ...(rule === undefined ? {} : { rule: rule.id }),
      ...(decision === 'allow' ? editTold(approval.prepared) : {}),
    },
    { session: approval.session, turn: approval.turn },
  );
  job.tx.audit(approval.turn, approval.call, {
    decision,
    by,
    decidedAt: job.tx.now,
    ...(rule === undefined ? {} : { rule: rule.label }),
  });
  job.effects.push({ kind: 'unschedule', key: `approval:${approval.id}` });
  carryOn(core, job, approval.id, reason);
}

function carryOn(core: Core, job: Job, id: ApprovalId, reason: string | undefined): void {
  const approval = job.tx.approval(id);
  if (approval === undefined) return;
  if (approval.parent !== undefined) {
    carryStepOn(job, approval, reason);
    return;
  }
  if (approval.handle !== undefined) {
    const handle = job.tx.handle(approval.handle);
    if (handle !== undefined) liftedVerdict(core, job, handle, approval);
    return;
  }
  const turn = job.tx.turn(approval.turn);
  const call = job.tx.call(approval.turn, approval.call);
  if (turn === undefined || call === undefined) return;
  const isHeld = core.waiting.has(runKey(turn.id, call.call));
  if (turn.phase === 'agent' && !isHeld) {
    agentVerdict(core, job, turn, call, approval, refusal(approval, reason));
    return;
  }
  if (approval.state === 'allowed') {
    job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'allowed'), asks: undefined });
    if (isHeld) askAgain(core, job, turn, call.call);
  } else settleCall(core, job, turn, call, refusal(approval, reason), false);
  proceed(core, job, turn.id);
}

/** A step goes on inside its call, also past the end of its turn (A9). */
function carryStepOn(job: Job, approval: ApprovalRecord, reason: string | undefined): void {
  const turn = job.tx.turn(approval.turn);
  const step = job.tx.call(approval.turn, approval.call);
  if (turn === undefined || step === undefined) return;
  if (approval.state !== 'allowed') {
    recordResult(job, turn, step, refusal(approval, reason), false);
    return;
  }
  job.tx.changeCall(turn.id, step.call, { status: nextCall(step.status, 'allowed'), asks: undefined });
  stepReady(job, turn.id, step.call);
}

const refusal = (approval: ApprovalRecord, reason: string | undefined): CallResult =>
  approval.state === 'lapsed'
    ? failure('approval_lapsed', say('Nobody answered in time: it has not run.'))
    : failure('approval_denied', reason ?? say('The person denied it: it has not run.'));

/** The request's own time is over: told as a lapse, never as a denial (A5). */
export function lapseApproval(core: Core, job: Job, id: ApprovalId): void {
  const approval = job.tx.approval(id);
  if (approval?.state !== 'open' || approval.lapsesAt === undefined || core.cord.pulled) return;
  if (approval.lapsesAt > job.tx.now) {
    job.effects.push({ kind: 'lapse_approval', id, at: approval.lapsesAt });
    return;
  }
  job.tx.changeApproval(id, { state: nextApproval(approval.state, 'lapsed'), answeredAt: job.tx.now });
  job.tx.emit(
    'approval_closed',
    { id, request: approval.request, call_id: approval.call, fate: 'lapsed', ...parentOf(approval) },
    { session: approval.session, turn: approval.turn },
  );
  carryOn(core, job, id, undefined);
}

/** Judges what waits, and what has not started, again after a rule, mode or trust has changed, in the same job (A7). */
export function judgeAgain(core: Core, job: Job, session: SessionId | undefined): void {
  for (const approval of job.tx.openApprovals(session)) {
    if (job.tx.approval(approval.id)?.state !== 'open') continue;
    const turn = job.tx.turn(approval.turn);
    if (turn === undefined) continue;
    const judged = judge(approval.prepared, circumstances(core, job, turn));
    if (judged.decision === 'allow' && (approval.handle === undefined || approval.parent !== undefined))
      decide(core, job, approval, 'allow', byRule(judged.rule), undefined, undefined);
    if (judged.decision === 'deny' && judged.rule !== 'untrusted')
      decide(core, job, approval, 'deny', byRule(judged.rule), judged.why, undefined);
    const left = job.tx.approval(approval.id);
    if (left?.state === 'open') renewRequest(core, job, turn, left);
  }
  for (const status of ['running', 'waiting', 'paced', 'paused'] as const)
    for (const turn of job.tx.turnsByStatus(status))
      if (session === undefined || turn.session === session) {
        tighten(core, job, turn);
        // What the cord held may have to be asked for again: then its turn waits for the person (P7).
        if (status === 'paused' && blockingCall(callsOf(job.tx, turn)) !== undefined)
          proceed(core, job, turn.id);
      }
}
