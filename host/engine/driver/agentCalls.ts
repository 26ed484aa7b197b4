/** Calls of an outside agent: rows, requests and results like those of Belay's own calls (H2). */
import { CallId, say, type TurnId } from '../../../protocol';
import { judge } from '../approvals/judge';
import { nextCall } from '../calls/call';
import type { HarnessCall, HarnessVerdict } from '../harnessPort';
import type { CallResult, Prepared, Unsound } from '../ports';
import type { ApprovalRecord, CallRecord, TurnRecord } from '../records';
import { deniedText } from '../turns/agentPrompt';
import { hasEnded } from '../turns/turn';
import { recordOf } from './agents';
import { endAsked } from './agentAsks';
import { isAtWork, type LiveAgent } from './agentLive';
import { announce, failure, isPrepared, letBy, markStarted, recordResult, refusedNow, where } from './calls';
import { circumstances } from './circumstances';
import type { Core, Job } from './core';
import { proceed } from './turns';

/** Characters of a call's id; what is longer is cut. */
const ID_CHARACTERS = 256;

/**
 * The call that the agent's id stands for in this run. An id that an earlier run of the turn has used gets a
 * name of its own, and a call that repeats what was allowed while its process was gone is that very call (H2).
 */
export function callOf(core: Core, agent: LiveAgent, turn: TurnRecord, call: HarnessCall): CallId {
  const known = agent.calls.get(call.id);
  if (known !== undefined) return known;
  const found = core.ledger.read((tx) => {
    const taken = new Set(agent.calls.values());
    const granted = tx
      .openCalls(turn.id)
      .find((one) => one.status === 'allowed' && !taken.has(one.call) && isSame(one, call));
    if (granted !== undefined) return granted.call;
    const plain = call.id.slice(0, ID_CHARACTERS) || 'call';
    for (let n = 1; ; n += 1) {
      const name = CallId.parse(n === 1 ? plain : `${plain}_${String(n)}`);
      if (!taken.has(name) && tx.call(turn.id, name) === undefined) return name;
    }
  });
  agent.calls.set(call.id, found);
  return found;
}

const isSame = (row: CallRecord, call: HarnessCall): boolean =>
  row.tool === call.tool && isPrepared(row.prepared) && canonical(row.prepared.args) === canonical(call.args);

/** JSON with sorted keys: the same arguments are the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** A call as the agent told it, and as it was looked at. */
export interface SeenCall {
  readonly id: CallId;
  readonly said: HarnessCall;
  readonly prepared: Prepared | Unsound;
}

/** A call that the agent tells of: it runs already, or may still be asked for. */
export function applyCall(core: Core, id: TurnId, seen: SeenCall, started: boolean): (job: Job) => void {
  return (job) => {
    const turn = openTurn(job, id);
    if (turn === undefined) return;
    const row = job.tx.call(id, seen.id) ?? insert(job, turn, seen.id, seen);
    if (row.status === 'planned') job.tx.changeCall(id, row.call, { prepared: seen.prepared });
    if (started && (row.status === 'planned' || row.status === 'allowed')) startOwn(job, turn, row);
    proceed(core, job, id);
  };
}

/** A permission that the agent asks for: judged, and asked for, like a call of Belay's own. */
export function applyPermission(
  core: Core,
  agent: LiveAgent,
  id: TurnId,
  seen: SeenCall,
  request: string,
): (job: Job) => void {
  return (job) => {
    const turn = openTurn(job, id);
    if (turn === undefined) {
      refuse(core, job, agent, request);
      return;
    }
    const call = askedAgain(job, turn, seen.id, agent, seen.said.id);
    agent.requests.set(call, request);
    const row = job.tx.call(id, call) ?? insert(job, turn, call, seen);
    // What was allowed while the process was gone is allowed for exactly these arguments, once.
    if (row.status === 'allowed') allowNow(core, job, turn, row);
    else judgeNow(core, job, turn, row, seen.prepared);
    proceed(core, job, id);
  };
}

function judgeNow(
  core: Core,
  job: Job,
  turn: TurnRecord,
  row: CallRecord,
  prepared: Prepared | Unsound,
): void {
  job.tx.changeCall(turn.id, row.call, { prepared });
  if (!isPrepared(prepared)) {
    recordResult(job, turn, row, failure(prepared.error, prepared.detail), false);
    answer(core, job, turn, row.call, denied(prepared.detail));
    return;
  }
  announce(core, job, turn, { ...row, prepared });
  const judged = job.tx.call(turn.id, row.call);
  if (judged?.status === 'done') {
    const { why } = judge(prepared, circumstances(core, job, turn));
    answer(core, job, turn, row.call, denied(why));
  } else if (judged?.status === 'planned') allowNow(core, job, turn, judged);
}

/** A call that runs and asks once more (outside its sandbox, say) is asked for as a call of its own. */
export function askedAgain(
  job: Job,
  turn: TurnRecord,
  call: CallId,
  agent: LiveAgent,
  agentId: string,
): CallId {
  const row = job.tx.call(turn.id, call);
  const isFirst = row === undefined || row.status === 'planned' || row.status === 'allowed';
  if (isFirst) return call;
  for (let n = 2; ; n += 1) {
    const again = CallId.parse(`${call}~${String(n)}`);
    if (job.tx.call(turn.id, again) !== undefined) continue;
    if (row.status !== 'done')
      recordResult(job, turn, row, failure('tool_failed', say('The agent asked again, for more.')), true);
    agent.calls.set(agentId, again);
    return again;
  }
}

export function openTurn(job: Job, id: TurnId): TurnRecord | undefined {
  const turn = job.tx.turn(id);
  return turn === undefined || hasEnded(turn.status) ? undefined : turn;
}

export function insert(job: Job, turn: TurnRecord, call: CallId, { said, prepared }: SeenCall): CallRecord {
  const row = {
    turn: turn.id,
    call,
    session: turn.session,
    parent: undefined,
    step: turn.rounds,
    place: job.tx.callCount(turn.id),
    tool: said.tool,
    title: isPrepared(prepared) ? prepared.title : said.title,
    status: 'planned' as const,
    asks: undefined,
    prepared,
  };
  job.tx.emit(
    'calls_planned',
    {
      step: turn.rounds,
      calls: [{ call_id: call, tool: row.tool, title: row.title, args: said.args }],
    },
    where(turn),
  );
  job.tx.insertCall(row);
  return { ...row, failed: false, handle: undefined, startedAt: undefined, deadline: undefined };
}

/** Marks a call as started that the agent runs under its own rules, with its entry in the audit. */
function startOwn(job: Job, turn: TurnRecord, row: CallRecord): void {
  if (row.status === 'planned')
    job.tx.openAudit({
      session: turn.session,
      turn: turn.id,
      call: row.call,
      tool: row.tool,
      title: row.title,
      why: say('The agent did not ask: its own rules or its sandbox allow it.'),
      rule: OWN_RULES,
      decision: 'allow',
      by: say('agent'),
    });
  markStarted(job, turn, row, row.status === 'planned' ? OWN_RULES : undefined);
}

const OWN_RULES = say('the agent’s own rules');

/** The agent's request is allowed: started in this commit, told right after it (R1). */
function allowNow(core: Core, job: Job, turn: TurnRecord, row: CallRecord): void {
  if (!isPrepared(row.prepared)) return;
  const refused = refusedNow(core, job, turn, row);
  if (refused !== undefined) {
    recordResult(job, turn, row, refused, false);
    answer(core, job, turn, row.call, denied(String(refused.output['detail'])));
    return;
  }
  if (core.cord.pulled) {
    job.tx.changeCall(turn.id, row.call, { status: nextCall(row.status, 'allowed') });
    return;
  }
  if (row.prepared.class === 'own') startOwn(job, turn, row);
  else markStarted(job, turn, row, letBy(core, job, turn, row));
  answer(core, job, turn, row.call, { allow: true, args: row.prepared.args });
}

export const denied = (reason: string): HarnessVerdict => ({ allow: false, reason });

export function answer(core: Core, job: Job, turn: TurnRecord, call: CallId, verdict: HarnessVerdict): void {
  job.effects.push({
    kind: 'answer_agent',
    session: turn.session,
    call,
    verdict,
    launch: core.cord.launch(),
  });
}

/** Answers a request for which there is no row: nobody is asked for it. */
export function reply(
  core: Core,
  job: Job,
  agent: Pick<LiveAgent, 'id'>,
  request: string,
  verdict: HarnessVerdict,
): void {
  job.effects.push({ kind: 'reply_agent', session: agent.id, request, verdict, launch: core.cord.launch() });
}

/** Denies a request that came when no turn could ask for it, or whose turn has ended. */
export const refuse = (core: Core, job: Job, agent: Pick<LiveAgent, 'id'>, request: string): void =>
  reply(core, job, agent, request, denied(NO_TURN));

const NO_TURN = 'Nobody can be asked for it now, since no turn of this session is under way. It has not run.';

/** A verdict on a request of an outside agent, whether its process still waits or is gone (H2). */
export function agentVerdict(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  approval: ApprovalRecord,
  refusal: CallResult,
): void {
  const waits = isAtWork(core, turn) && core.agents.get(turn.session)?.requests.has(call.call) === true;
  if (approval.state === 'allowed') {
    job.tx.changeCall(turn.id, call.call, { status: nextCall(call.status, 'allowed'), asks: undefined });
    const fresh = job.tx.call(turn.id, call.call);
    if (waits && fresh !== undefined) allowNow(core, job, turn, fresh);
  } else {
    recordResult(job, turn, call, refusal, false);
    const reason = String(refusal.output['detail']);
    if (waits) answer(core, job, turn, call.call, denied(reason));
    else tellLater(job, turn, deniedText(call.title, reason));
  }
  proceed(core, job, turn.id);
}

/** What the agent is told with its next prompt. */
export function tellLater(job: Job, turn: TurnRecord, text: string): void {
  const session = job.tx.session(turn.session);
  if (session === undefined) return;
  const kept = recordOf(job.tx, session);
  job.tx.setHarness(session.id, { ...kept, notes: [...kept.notes, text] });
}

/** The agent's own word on what became of a call. One that has its result keeps it (R9). */
export function applyResult(
  core: Core,
  agent: LiveAgent,
  id: string,
  result: CallResult,
): (job: Job) => void {
  const call = agent.calls.get(id);
  const turnId = agent.turn;
  if (call === undefined || turnId === undefined) return () => undefined;
  agent.outputs.delete(call);
  return (job) => {
    const turn = openTurn(job, turnId);
    const row = job.tx.call(turnId, call);
    if (turn === undefined || row === undefined || row.status === 'done') return;
    const ran = row.status !== 'asking';
    if (ran && row.status !== 'running') startOwn(job, turn, row);
    recordResult(job, turn, job.tx.call(turnId, call) ?? row, result, ran && result.ran !== false);
    agent.requests.delete(call);
    proceed(core, job, turnId);
  };
}

/** The agent has withdrawn a request by itself. */
export function applyGone(core: Core, agent: LiveAgent, request: string): (job: Job) => void {
  const call = [...agent.requests].find(([, name]) => name === request)?.[0];
  const turnId = agent.turn;
  if (call === undefined || turnId === undefined) return () => undefined;
  return (job) => {
    const turn = openTurn(job, turnId);
    const row = job.tx.call(turnId, call);
    agent.requests.delete(call);
    if (turn === undefined || row?.status !== 'asking') return;
    recordResult(
      job,
      turn,
      row,
      failure('cancelled', say('The agent no longer waits for it: it has not run.')),
      false,
    );
    proceed(core, job, turnId);
    endAsked(core, job, agent);
  };
}
