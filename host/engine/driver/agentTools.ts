/**
 * Calls of client tools by an outside agent: rows, requests and questions like those of a model's calls, with one
 * reply each to the agent (C5–C8).
 *
 * Owns: which calls of a turn have been made, so that a repeated one gets the same reply and none gets two.
 * Does not own: the request; it is a row, and outlives the agent, its process and this host.
 */
import { acknowledgement, CallId, TurnId, type HandleId, say } from '../../../protocol';
import type { AgentCaller, AgentReply, AgentTools, CallResult, Prepared, WaitPolicy } from '../ports';
import { waitPlan } from '../questions/waitPolicy';
import { unclaimed } from '../questions/identity';
import type { CallRecord, TurnRecord } from '../records';
import { hasEnded } from '../turns/turn';
import { announce, failure, isPrepared, where, workplace } from './calls';
import { describe, request, runKey, type Core, type Job } from './core';
import { record } from './facts';
import { lift } from './lifts';
import { answerOwn } from './own';
import { clientOf } from './questions';
import { ofCall } from './unwritten';

export interface AgentWaits {
  readonly policy: WaitPolicy;
  /** The harness's own limit of a call, ms; none when undefined. */
  readonly limitMs: number | undefined;
}

/** Characters of an agent's own id of a call: there is room for a number behind it. */
const CALL_ID_MOST = 480;

/** How often an agent hears that its call is still held, ms: seldom enough to cost nothing. */
const PROGRESS_MS = 15_000;

export function agentToolsOf(core: Core, turn: TurnId, waits: AgentWaits): AgentTools {
  const replies = new Map<string, Promise<AgentReply>>();
  const claimed = new Set<string>();
  return {
    turn,
    specs: core.clientTools.specs(),
    call: (name, args, from) => {
      const id = usable(from.callId);
      const known = id === undefined ? undefined : replies.get(id);
      if (known !== undefined) return known;
      const reply = makeCall(core, turn, waits, claimed, name, args, from, id).catch(
        (error: unknown): AgentReply => {
          core.log('error', `A call of ${name.slice(0, 64)} could not be made: ${describe(error)}`);
          return answered(
            failure('tool_failed', say('It was not made: {reason}', { reason: describe(error) })),
          );
        },
      );
      if (id !== undefined) replies.set(id, reply);
      return reply;
    },
  };
}

async function makeCall(
  core: Core,
  turnId: TurnId,
  waits: AgentWaits,
  claimed: Set<string>,
  name: string,
  args: unknown,
  from: AgentCaller,
  given: CallId | undefined,
): Promise<AgentReply> {
  const found = core.ledger.read((tx) => tx.turn(turnId));
  if (found === undefined || !core.clientTools.specs().some((spec) => spec.name === name))
    return answered(failure('tool_unknown', say('There is no tool {name}.', { name: name.slice(0, 64) })));
  const text = textOf(args);
  if (text === undefined)
    return answered(failure('tool_arguments_invalid', 'The arguments cannot be written as JSON.'));
  const call = idOf(core, turnId, claimed, name, args, given);
  claimed.add(call);
  const prepared = await core.tools.prepare(name, text, workplace(core, found, call));
  if (!isPrepared(prepared)) return answered(failure(prepared.error, prepared.detail));
  if (from.signal.aborted) return DROPPED;
  const key = runKey(turnId, call);
  const settled = new Promise<CallResult>((resolve) => core.waiting.set(key, resolve));
  try {
    const isPut = await request(core, (job) => putCall(core, job, turnId, call, name, prepared));
    if (!isPut) return isBehind(core, turnId) ? answered(failure('turn_ended', BEHIND)) : DROPPED;
    return await replyTo(core, turnId, call, waits, prepared, from, settled);
  } finally {
    core.waiting.delete(key);
    core.schedule.clear(`held:${key}`);
    core.schedule.clear(`progress:${key}`);
  }
}

/** Arguments as text; undefined for what is nested deeper than a stack is. */
function textOf(args: unknown): string | undefined {
  try {
    return JSON.stringify(args ?? {});
  } catch {
    return undefined;
  }
}

/** An id that an agent gave, if it can be one: what cannot is told apart by order, as if there were none (C7). */
function usable(given: string | undefined): CallId | undefined {
  return given === undefined || given.length > CALL_ID_MOST ? undefined : CallId.safeParse(given).data;
}

const answered = (result: CallResult): AgentReply => ({ kind: 'answered', result });
const DROPPED: AgentReply = { kind: 'dropped' };

function idOf(
  core: Core,
  turn: TurnId,
  claimed: ReadonlySet<string>,
  name: string,
  args: unknown,
  given: string | undefined,
): CallId {
  const taken = (id: string) => core.ledger.read((tx) => tx.call(turn, CallId.parse(id)));
  if (given !== undefined) {
    const known = taken(given);
    if (known === undefined || (known.tool === name && known.status === 'planned'))
      return CallId.parse(given);
  }
  const told = core.ledger.read((tx) => unclaimed(tx.openCalls(turn), claimed, name, args));
  if (told !== undefined && given === undefined) return told.call;
  const base = given ?? name;
  for (let n = 1; ; n++) {
    const id = `${base}_${String(n)}`;
    if (!claimed.has(id) && taken(id) === undefined) return CallId.parse(id);
  }
}

/** The call's row, its request for a verdict or its question, in one commit. False once the turn is over. */
function putCall(
  core: Core,
  job: Job,
  turnId: TurnId,
  call: CallId,
  tool: string,
  prepared: Prepared,
): boolean {
  const turn = job.tx.turn(turnId);
  if (turn === undefined || hasEnded(turn.status) || turn.phase === 'ending' || core.cord.pulled)
    return false;
  const row = job.tx.call(turnId, call) ?? insert(job, turn, call, tool, prepared);
  announce(core, job, turn, row);
  askAgain(core, job, turn, call);
  return true;
}

/** Puts the question of a call that nothing holds back: it was free, or has been allowed. */
export function askAgain(core: Core, job: Job, turn: TurnRecord, id: CallId): void {
  const call = job.tx.call(turn.id, id);
  if (call?.status === 'planned' || call?.status === 'allowed') answerOwn(core, job, turn, call);
}

function insert(job: Job, turn: TurnRecord, call: CallId, tool: string, prepared: Prepared): CallRecord {
  const row = {
    turn: turn.id,
    call,
    session: turn.session,
    parent: undefined,
    step: turn.rounds,
    place: job.tx.callCount(turn.id),
    tool,
    title: prepared.title,
    status: 'planned' as const,
    asks: undefined,
    prepared,
  };
  job.tx.insertCall(row);
  job.tx.emit(
    'calls_planned',
    { step: turn.rounds, calls: [{ call_id: call, tool, title: prepared.title, args: prepared.args }] },
    where(turn),
  );
  return { ...row, failed: false, handle: undefined, startedAt: undefined, deadline: undefined };
}

/** The one reply: the result, or what stands for it when the call can be held no longer (C5, C6). */
async function replyTo(
  core: Core,
  turn: TurnId,
  call: CallId,
  waits: AgentWaits,
  prepared: Prepared,
  from: AgentCaller,
  settled: Promise<CallResult>,
): Promise<AgentReply> {
  const key = runKey(turn, call);
  let gaveUp: 'acknowledged' | 'parked' | 'dropped' | undefined;
  const giveUp = (as: typeof gaveUp) => {
    gaveUp ??= as;
    record(core, ofCall(turn, call), (job) => goOnAsHandle(core, job, turn, call));
  };
  const leave = () => giveUp('dropped');
  from.signal.addEventListener('abort', leave, { once: true });
  // It may have gone while its request was written down.
  if (from.signal.aborted) leave();
  const plan = waitPlan(waits.policy, shorter(waits.limitMs, from.limitMs));
  // A call that only a client answers is over in its own time: it is awaited whatever the policy.
  if (waitsForPerson(core, turn, call, prepared))
    switch (plan.kind) {
      case 'hold':
        if (plan.ms !== undefined)
          core.schedule.set(`held:${key}`, core.clock.now() + plan.ms, () => giveUp('acknowledged'));
        tellProgress(core, key, prepared, from);
        break;
      case 'acknowledge':
        giveUp('acknowledged');
        break;
      case 'park':
        giveUp('parked');
        break;
    }
  const result = await settled;
  from.signal.removeEventListener('abort', leave);
  const handle = core.ledger.read((tx) => tx.call(turn, call)?.handle);
  if (gaveUp !== undefined && handle !== undefined) return instead(gaveUp, prepared.tool, handle);
  // After a pause, a stop or an interrupt no frame may follow (C8).
  if (core.stopping || core.cord.pulled || from.signal.aborted) return DROPPED;
  if (!hasTurnEnded(core, turn)) return answered(result);
  if (!isBehind(core, turn) || !goesOn(core, turn)) return DROPPED;
  return handle === undefined ? answered(result) : instead('acknowledged', prepared.tool, handle);
}

/** Work of its agent goes on behind the turn, and waits for the reply to its call (R5). */
const goesOn = (core: Core, id: TurnId): boolean => {
  const session = core.ledger.read((tx) => tx.turn(id)?.session);
  return session !== undefined && core.agents.get(session)?.session.isBusy() === true;
};

/** The turn ended well, and what is called behind it may be told so. */
const isBehind = (core: Core, id: TurnId): boolean =>
  !core.stopping && !core.cord.pulled && core.ledger.read((tx) => tx.turn(id)?.status) === 'completed';

const BEHIND =
  'The turn that this tool belongs to has ended, so it was not run. The agent may call it in its next turn.';

const shorter = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

const waitsForPerson = (core: Core, turn: TurnId, call: CallId, prepared: Prepared): boolean =>
  clientOf(prepared)?.person === true || core.ledger.read((tx) => tx.call(turn, call)?.asks) === 'approval';

const hasTurnEnded = (core: Core, id: TurnId): boolean => {
  const turn = core.ledger.read((tx) => tx.turn(id));
  return turn === undefined || hasEnded(turn.status);
};

function instead(as: 'acknowledged' | 'parked' | 'dropped', tool: string, handle: HandleId): AgentReply {
  switch (as) {
    case 'acknowledged':
      return { kind: 'acknowledged', text: acknowledgement(tool), handle };
    case 'parked':
      return { kind: 'parked' };
    case 'dropped':
      return DROPPED;
  }
}

/** The request goes on as a handle, as by a lift: listed and answerable past the end of the turn. */
function goOnAsHandle(core: Core, job: Job, turnId: TurnId, callId: CallId): void {
  const turn = job.tx.turn(turnId);
  const call = job.tx.call(turnId, callId);
  if (turn !== undefined && call?.status === 'asking') lift(core, job, turn, call);
}

/** What a person was asked outlives the run that asked: its answer is told when the agent goes on (C6, C8). */
export function keepAsked(core: Core, job: Job, turn: TurnRecord): void {
  for (const call of job.tx.openCalls(turn.id))
    if (call.status === 'asking' && clientOf(call.prepared)?.person === true) lift(core, job, turn, call);
}

/** Lifts what an outside agent's tools hold, so that it reads what the person has said (L1). */
export function liftHeld(core: Core, job: Job, turn: TurnRecord): void {
  for (const call of job.tx.openCalls(turn.id))
    if (call.status === 'asking' && core.waiting.has(runKey(turn.id, call.call))) lift(core, job, turn, call);
}

/** Calls that can be held no longer because the agent is ended: their answers are told when it goes on (C6, C8). */
export function parkAgentCalls(core: Core, job: Job): void {
  for (const key of core.waiting.keys()) {
    const [turn = '', ...rest] = key.split('/');
    goOnAsHandle(core, job, TurnId.parse(turn), CallId.parse(rest.join('/')));
  }
}

function tellProgress(core: Core, key: string, prepared: Prepared, from: AgentCaller): void {
  if (from.onProgress === undefined) return;
  const next = () => {
    if (!core.waiting.has(key)) return;
    if (!core.cord.pulled) from.onProgress?.(`Waiting for the person: ${prepared.title}`);
    core.schedule.set(`progress:${key}`, core.clock.now() + PROGRESS_MS, next);
  };
  core.schedule.set(`progress:${key}`, core.clock.now() + PROGRESS_MS, next);
}
