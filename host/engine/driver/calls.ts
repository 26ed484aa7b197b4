/** Calls of a round: announced together, judged, started, settled once, announced again after a failure. */
import { STORED_BYTES, STORED_KEYS, type CallId, type SessionId, say } from '../../../protocol';
import { judge, offersFor } from '../approvals/judge';
import { readGate } from '../approvals/readGate';
import { nextApproval } from '../approvals/approval';
import { nextCall } from '../calls/call';
import type { CallResult, Prepared, Workplace } from '../ports';
import type { ApprovalRecord, CallRecord, QuestionRecord, TurnRecord } from '../records';
import { laterGated } from '../turns/loop';
import { approvalView, editOf, editTold } from '../views';
import { circumstances, circumstancesIn } from './circumstances';
import type { Core, Job } from './core';

/** The text of a result code for the model. */
export const failure = (
  error: string,
  detail: string,
  rest: Readonly<Record<string, unknown>> = {},
): CallResult => ({
  output: { ...rest, error, detail },
  failed: true,
});

export function workplace(core: Core, turn: TurnRecord, call: CallId): Workplace {
  return {
    session: turn.session,
    turn: turn.id,
    call,
    folder: turn.folder,
    roots: [...new Set([turn.folder, ...core.roots()])],
    hidden: core.hidden,
    started: core.started?.() ?? [],
    gate: gateOf(core, turn),
  };
}

/** What is kept back in a turn, by the rules of now. */
export const gateOf =
  (core: Core, turn: TurnRecord): NonNullable<Workplace['gate']> =>
  (roots, target) =>
    readGate(
      core.ledger.read((tx) => circumstancesIn(core, tx, turn.session, turn.mode)),
      roots,
      target,
    );

/** Judges a planned call: free, asked for, or refused by a rule. Writes the request before anyone sees it (A1). */
export function announce(core: Core, job: Job, turn: TurnRecord, call: CallRecord): void {
  if ('error' in call.prepared) return;
  const now = circumstances(core, job, turn);
  const judged = judge(call.prepared, now);
  // What touches only the agent's own records is written down when it is answered.
  if (call.prepared.class === 'own' && !call.prepared.liftable && judged.decision !== 'deny') return;
  const entry = {
    session: turn.session,
    turn: turn.id,
    call: call.call,
    tool: call.tool,
    title: call.title,
    why: judged.why,
    ...parentOf(call),
    ...(judged.rule === undefined ? {} : { rule: judged.rule }),
  };
  switch (judged.decision) {
    case 'allow':
      job.tx.openAudit({ ...entry, decision: 'allow', by: judged.rule ?? 'mode' });
      return;
    case 'deny':
      job.tx.openAudit({ ...entry, decision: 'deny', by: judged.rule ?? 'rule' });
      settleCall(core, job, turn, call, failure('approval_denied', judged.why), false);
      return;
    case 'ask':
      job.tx.openAudit(entry);
      askFor(core, job, turn, call, judged.why);
  }
}

/** Writes a request down and shows it. */
function askFor(core: Core, job: Job, turn: TurnRecord, call: CallRecord, why: string): void {
  if (!isPrepared(call.prepared)) return;
  const approval = job.tx.insertApproval({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    parent: call.parent,
    prepared: call.prepared,
    folder: turn.folder,
    why,
    offers: offersFor(call.prepared, circumstances(core, job, turn)),
    lapsesAt: lapseFrom(core, job),
  });
  job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'asked'), asks: 'approval' });
  publishRequest(job, underHandle(job, approval));
}

/**
 * What no person has allowed and has not started yet is asked for when it is free no more: the mode, a rule or trust
 * has changed since it was planned (A7).
 */
export function tighten(core: Core, job: Job, turn: TurnRecord): void {
  if (turn.phase !== 'calls') return;
  for (const call of job.tx.openCalls(turn.id)) {
    if (!isPrepared(call.prepared) || (call.status !== 'planned' && call.status !== 'allowed')) continue;
    const judged = judge(call.prepared, circumstances(core, job, turn));
    if (judged.decision !== 'ask') continue;
    const approval = job.tx.approvalOf(turn.id, call.call);
    if (call.status === 'allowed' && approval?.by?.startsWith(BY_RULE) !== true) continue;
    if (approval === undefined) {
      dropVerdict(job, call);
      askFor(core, job, turn, call, judged.why);
    } else if (approval.handle === undefined) openAgain(core, job, turn, call, approval);
    if (call.parent !== undefined) job.effects.push({ kind: 'step_waits', turn: turn.id, call: call.call });
  }
}

/** Who a verdict is by that a rule or the mode has given, and its name behind it. */
export const byRule = (rule = ''): string => say('rule: {rule}', { rule });
const BY_RULE = byRule();

/** A step that is asked for after its call was lifted is listed under the call's handle (A8). */
function underHandle(job: Job, approval: ApprovalRecord): ApprovalRecord {
  const handle =
    approval.parent === undefined ? undefined : job.tx.call(approval.turn, approval.parent)?.handle;
  if (handle === undefined) return approval;
  job.tx.changeApproval(approval.id, { handle });
  return { ...approval, handle };
}

/**
 * A rule, the mode or trust has changed: what a request that stays open says and offers is made anew, and shown anew
 * under its number, where that is not the same (A3, A7).
 */
export function renewRequest(core: Core, job: Job, turn: TurnRecord, approval: ApprovalRecord): void {
  const now = circumstances(core, job, turn);
  const offers = offersFor(approval.prepared, now);
  const judged = judge(approval.prepared, now);
  // Where it stays open although a rule would allow it now, what it was asked for stands.
  const why = judged.decision === 'allow' ? approval.why : judged.why;
  if (why === approval.why && JSON.stringify(offers) === JSON.stringify(approval.offers)) return;
  job.tx.changeApproval(approval.id, { offers, why });
  publishRequest(job, { ...approval, offers, why });
}

/** Shows a request, and puts its own time on the schedule. */
export function publishRequest(job: Job, approval: ApprovalRecord): void {
  const { call, session, turn, ...rest } = approvalView(approval);
  job.tx.emit('approval_requested', { ...rest, call_id: call }, { session, turn });
  if (approval.lapsesAt !== undefined)
    job.effects.push({ kind: 'lapse_approval', id: approval.id, at: approval.lapsesAt });
}

/** Judges a call again in the job that starts it: a deny rule of now and lost trust always win (A7). */
export function refusedNow(core: Core, job: Job, turn: TurnRecord, call: CallRecord): CallResult | undefined {
  if (!isPrepared(call.prepared)) return undefined;
  const judged = judge(call.prepared, circumstances(core, job, turn));
  return judged.decision === 'deny' ? failure('approval_denied', judged.why) : undefined;
}

/** Marks calls as started in the commit before they start (R1). */
export function startCalls(core: Core, job: Job, turn: TurnRecord, calls: readonly CallRecord[]): void {
  const launch = core.cord.launch();
  for (const call of calls) {
    markStarted(job, turn, call, letBy(core, job, turn, call));
    job.effects.push({ kind: 'run', turn: turn.id, call: call.call, launch });
  }
}

/** The rule or mode of now that lets a call run which nobody was asked for; its own records need none. */
export function letBy(core: Core, job: Job, turn: TurnRecord, call: CallRecord): string | undefined {
  if (!isPrepared(call.prepared) || call.prepared.class === 'own') return undefined;
  if (job.tx.approvalOf(turn.id, call.call) !== undefined) return undefined;
  return judge(call.prepared, circumstances(core, job, turn)).rule;
}

/** `rule`: what lets it run unasked. */
export function markStarted(job: Job, turn: TurnRecord, call: CallRecord, rule?: string): void {
  job.tx.changeCall(turn.id, call.call, {
    status: nextCall(call.status, 'started'),
    startedAt: job.tx.now,
    asks: undefined,
  });
  job.tx.audit(turn.id, call.call, { startedAt: job.tx.now });
  job.tx.emit(
    'tool_started',
    {
      call_id: call.call,
      tool: call.tool,
      title: call.title,
      ...parentOf(call),
      ...editTold(call.prepared),
      ...(rule === undefined ? {} : { rule }),
    },
    { session: turn.session, turn: turn.id },
  );
}

/** The output as it is told: what it shows only in part is kept whole, and named (T7). */
export function keepWhole(
  job: Job,
  at: { readonly session: SessionId; readonly turn: TurnRecord['id']; readonly call: CallId },
  result: CallResult,
): CallResult {
  const told = storeValues(job, at.session, result);
  if (result.kept === undefined || result.kept.length === 0) return told;
  const whole = Object.fromEntries(
    result.kept.map(({ name, text }) => [name, job.tx.keep(at.session, at.turn, at.call, name, text)]),
  );
  const { kept: _kept, ...rest } = told;
  return { ...rest, output: { ...told.output, whole } };
}

/** What a script has stored is written with its result, all of it or nothing (S2). */
function storeValues(job: Job, session: SessionId, result: CallResult): CallResult {
  if (result.stores === undefined) return result;
  const { stores, ...rest } = result;
  if (job.tx.storeValues(session, stores)) return rest;
  const detail = `Nothing was stored: this session's values would be more than ${String(STORED_BYTES)} bytes, or more than ${String(STORED_KEYS)} keys.`;
  return { ...rest, failed: true, output: { ...rest.output, error: 'output_limit', detail } };
}

/** A result of a changed command begins with what was really run. */
export function asEdited({ prepared }: Pick<CallRecord, 'prepared'>, result: CallResult): CallResult {
  const edit = isPrepared(prepared) ? editOf(prepared) : undefined;
  if (edit === undefined || 'note' in result.output) return result;
  const note = `The person changed the command to: ${edit.to}`;
  return { ...result, output: { note, ...result.output } };
}

/** Records a call's one result; a call that has one keeps it (R5). False when it had one. */
export function recordResult(
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  plain: CallResult,
  ran: boolean,
): boolean {
  const fresh = job.tx.call(turn.id, call.call);
  if (fresh === undefined || fresh.status === 'done') return false;
  const given = asEdited(fresh, plain);
  const result = keepWhole(job, { session: turn.session, turn: turn.id, call: call.call }, given);
  job.tx.changeCall(turn.id, call.call, {
    status: nextCall(fresh.status, 'settled'),
    failed: result.failed,
    asks: undefined,
  });
  closeRequest(job, turn, fresh);
  closeSteps(job, turn, call.call);
  job.tx.emit(
    'tool_completed',
    {
      call_id: call.call,
      ...parentOf(call),
      tool: call.tool,
      result: result.output,
      failed: result.failed,
      ...(result.images === undefined || result.images.length === 0 ? {} : { images: [...result.images] }),
      ...(fresh.startedAt === undefined ? {} : { ranMs: job.tx.now - fresh.startedAt }),
    },
    where(turn),
  );
  // That of a terminal stays open until its handle ends (L12).
  const opened = fresh.handle === undefined ? undefined : job.tx.handle(fresh.handle);
  if (opened?.state !== 'running') job.tx.closeAudit(turn.id, call.call, outcomeOf(result), ran);
  if (fresh.parent !== undefined)
    job.effects.push({ kind: 'step_done', turn: turn.id, call: call.call, result: given });
  else if (isPrepared(fresh.prepared) && fresh.prepared.client !== undefined)
    job.effects.push({ kind: 'call_answered', turn: turn.id, call: call.call, result: given });
  return true;
}

/** Records a result; a failed one makes the later gated calls of its round be announced again (A4). */
export function settleCall(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  result: CallResult,
  ran: boolean,
): void {
  // What a step ends as is judged by its script: it is none of its round (A4).
  // An outside agent plans no rounds: it asks for each call when it comes to it.
  const isOfRound = call.parent === undefined && turn.phase !== 'agent';
  if (recordResult(job, turn, call, result, ran) && result.failed && isOfRound)
    announceAgain(core, job, turn, call.call);
}

export const outcomeOf = (result: CallResult): string => {
  const error = result.output['error'];
  if (typeof error === 'string') return error;
  return result.failed ? 'failed' : 'completed';
};

/** Ends a request that its call no longer needs; one that has its verdict already stays as it is. */
function closeRequest(job: Job, turn: TurnRecord, record: CallRecord): void {
  const { call, parent } = record;
  const approval = job.tx.approvalOf(turn.id, call);
  const isOwn = approval?.handle === undefined || parent !== undefined;
  if (approval?.state === 'open' && isOwn) withdraw(job, approval);
  const question = job.tx.questionOf(turn.id, call);
  if (question?.state === 'open' && (question.handle === undefined || parent !== undefined))
    closeQuestion(job, question, 'withdrawn');
}

/** A question has its end: by an answer that is recorded already, or without one. */
export function closeQuestion(
  job: Job,
  question: QuestionRecord,
  fate?: 'lapsed' | 'withdrawn' | 'unserved',
): void {
  if (fate !== undefined) {
    job.tx.changeQuestion(question.id, { state: fate, answeredAt: job.tx.now });
    job.tx.emit(
      'question_closed',
      { id: question.id, call_id: question.call, fate, ...parentOf(question) },
      { session: question.session, turn: question.turn },
    );
  }
  job.effects.push({ kind: 'unschedule', key: `question:${question.id}` });
  job.effects.push({ kind: 'call_off', question: question.id });
}

/** Steps end with the call that they were made from: those that have not started have not run. */
export function closeSteps(job: Job, turn: TurnRecord, parent: CallId): void {
  for (const step of job.tx.openSteps(turn.id, parent)) {
    const running = step.status === 'running';
    if (running) job.effects.push({ kind: 'stop_run', turn: turn.id, call: step.call });
    const result = running
      ? failure('outcome_unknown', say('The call that it was made from ended while it ran.'))
      : failure('withdrawn', say('tools.{tool} refused: its turn ended', { tool: step.tool }));
    recordResult(job, turn, step, result, running);
  }
}

export function withdraw(job: Job, approval: ApprovalRecord): void {
  job.tx.changeApproval(approval.id, {
    state: nextApproval(approval.state, 'withdrawn'),
    answeredAt: job.tx.now,
  });
  job.tx.emit(
    'approval_closed',
    {
      id: approval.id,
      request: approval.request,
      call_id: approval.call,
      fate: 'withdrawn',
      ...parentOf(approval),
    },
    { session: approval.session, turn: approval.turn },
  );
  job.effects.push({ kind: 'unschedule', key: `approval:${approval.id}` });
}

export const parentOf = (row: { readonly parent: CallId | undefined }) =>
  row.parent === undefined ? {} : { parent: row.parent };

/** Drops the verdicts of the later gated calls of the round: they were judged under another assumption (A4). */
function announceAgain(core: Core, job: Job, turn: TurnRecord, after: CallId): void {
  for (const call of laterGated(job.tx.round(turn.id), after)) {
    const approval = job.tx.approvalOf(turn.id, call.call);
    if (approval === undefined || approval.handle !== undefined) continue;
    const isAllowed = judge(approval.prepared, circumstances(core, job, turn)).decision === 'allow';
    if (call.status === 'allowed' && isAllowed) continue;
    openAgain(core, job, turn, call, approval);
  }
}

/** Opens a request once more, under the next number: its verdict is dropped. */
function openAgain(core: Core, job: Job, turn: TurnRecord, call: CallRecord, approval: ApprovalRecord): void {
  dropVerdict(job, call);
  job.tx.changeApproval(approval.id, {
    state: 'open',
    request: approval.request + 1,
    by: undefined,
    reason: undefined,
    answeredAt: undefined,
    offers: offersFor(approval.prepared, circumstances(core, job, turn)),
    askedAgainAt: job.tx.now,
    lapsesAt: lapseFrom(core, job),
  });
  job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'asked'), asks: 'approval' });
  const again = job.tx.approval(approval.id);
  if (again !== undefined) publishRequest(job, again);
}

/** When a request that is shown now ends unanswered; never, where no time is set (A5). */
function lapseFrom(core: Core, job: Job): number | undefined {
  const { lapseMs } = core.settings();
  return lapseMs === undefined ? undefined : job.tx.now + lapseMs;
}

const dropVerdict = (job: Job, call: CallRecord): void =>
  job.tx.audit(call.turn, call.call, { decision: undefined, by: undefined, decidedAt: undefined });

export const isPrepared = (prepared: CallRecord['prepared']): prepared is Prepared => !('error' in prepared);

export const where = (turn: { readonly session: SessionId; readonly id: TurnRecord['id'] }) => ({
  session: turn.session,
  turn: turn.id,
});
