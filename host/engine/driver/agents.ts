/** Runs of outside agents: begun through the cord, steered by messages, ended with their process (H1, H7). */
import { HARNESS_IDLE_MS, type CallId, type SessionId, type TurnId, say } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import type { HandedMessage, HarnessOpen, HarnessVerdict } from '../harnessPort';
import type { AgentTools, StopReason } from '../ports';
import type { HarnessRecord, MessageRecord, SessionRecord, TurnRecord } from '../records';
import { toolWay } from '../questions/ways';
import { messageText } from '../context';
import { agentPrompt } from '../turns/agentPrompt';
import { hasEnded } from '../turns/turn';
import { agentToolsOf } from './agentTools';
import { lacksTools, logTools, toolsTold } from './toldTools';
import { agentSink } from './agentEvents';
import type { LiveAgent } from './agentLive';
import { failure, isPrepared, recordResult } from './calls';
import { describe, type Core, type Job } from './core';
import { endAsked, stopAsked } from './agentAsks';
import { allowEdit, takeBefore } from './agentEdits';
import { record } from './facts';
import { endTurn, endUntrusted, pauseTurn, proceed } from './turns';
import { ofTurn } from './unwritten';

const NOTHING_USED = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

/** What is kept of the session's agent; a session that has changed its agent or folder begins anew. */
export function recordOf(
  tx: Pick<Job['tx'], 'harness'>,
  session: Pick<SessionRecord, 'id' | 'agent' | 'folder'>,
): HarnessRecord {
  const harness = session.agent.kind === 'harness' ? session.agent.harness : '';
  const kept = tx.harness(session.id);
  if (kept?.harness === harness && kept.folder === session.folder) return kept;
  return {
    harness,
    folder: session.folder,
    conversation: undefined,
    resumable: false,
    used: NOTHING_USED,
    prompted: undefined,
    resumed: undefined,
    killed: [],
    messages: [],
    notes: [],
  };
}

/** Begins the run that a job has decided; what becomes of it comes as events. */
export function promptAgent(core: Core, id: TurnId, launch: Launch): void {
  const found = core.ledger.read((tx) => {
    const turn = tx.turn(id);
    const session = turn === undefined ? undefined : tx.session(turn.session);
    if (turn === undefined || session === undefined || turn.phase !== 'agent' || hasEnded(turn.status))
      return undefined;
    const kept = recordOf(tx, session);
    const isSame = kept.prompted === id;
    const granted = tx.openCalls(id).filter((call) => call.status === 'allowed');
    const prompt = agentPrompt({
      instructions: kept.conversation === undefined ? instructionsOf(session) : '',
      messages: kept.messages.flatMap((one) => tx.message(one) ?? []),
      notes: kept.notes,
      continued: turn.cause === 'continue' && !isSame,
      again: isSame,
      killed: kept.resumed === id ? kept.killed : [],
      granted: granted.flatMap((call) =>
        isPrepared(call.prepared) ? [{ title: call.title, args: call.prepared.args }] : [],
      ),
    });
    return { turn, session, kept, prompt, granted: granted.length > 0 };
  });
  if (found === undefined) return;
  const { turn, session, kept } = found;
  // Trust may be lost between the decision and now (A11).
  if (!core.trusted()) {
    record(core, ofTurn(id), (job) => endUntrusted(core, job, turn));
    return;
  }
  const there = core.agents.get(session.id);
  const told = toolsTold(core);
  if (there !== undefined && (!fits(there, session, turn) || lacksTools(core, there, kept, told)))
    dropAgent(core, session.id);
  if (there?.closing !== undefined) {
    promptLater(core, there, there.closing, () => promptAgent(core, id, launch));
    return;
  }
  if (found.granted && !kept.resumable) {
    record(core, ofTurn(id), (job) => undeliverable(core, job, id));
    return;
  }
  const tools = toolsOf(core, session, turn);
  if (tools === 'undeliverable') {
    record(core, ofTurn(id), (job) => refuseTools(core, job, id));
    return;
  }
  try {
    const live = agentOf(core, session, turn, kept);
    live.turn = id;
    live.behind = undefined;
    live.rounds = turn.rounds;
    live.wasWarm = live.session.isAlive();
    if (!live.wasWarm) live.tools = told;
    logTools(core, live, id, kept);
    live.calls.clear();
    live.edits.clear();
    live.requests.clear();
    live.told.clear();
    core.schedule.clear(idleKey(session.id));
    live.session.prompt({ ...found.prompt, tools }, launch);
  } catch (error) {
    const live = core.agents.get(session.id);
    if (live?.turn === id) live.turn = undefined;
    record(core, ofTurn(id), (job) => notBegun(core, job, id, error));
  }
}

/**
 * Two processes of one conversation would write over each other: the newest prompt waits until the earlier process
 * has been seen gone.
 */
function promptLater(core: Core, live: LiveAgent, closing: Promise<unknown>, prompt: () => void): void {
  live.next = prompt;
  const go = () => {
    if (live.next === prompt && !core.stopping) prompt();
  };
  closing.then(go, go);
}

/** The client tools of a run, with the policy that its adapter declares; or that no tested way leads there (C2). */
function toolsOf(
  core: Core,
  session: SessionRecord,
  turn: TurnRecord,
): AgentTools | undefined | 'undeliverable' {
  const can =
    session.agent.kind === 'harness' ? core.harnesses.capabilities(session.agent.harness) : undefined;
  if (can === undefined) return undefined;
  const tools = agentToolsOf(core, turn.id, { policy: can.waits, limitMs: can.holdLimitMs });
  return tools.specs.length > 0 && toolWay(can.reach) === undefined ? 'undeliverable' : tools;
}

function refuseTools(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  const detail = say(
    'No tested way leads to this agent for the tools of its session, so it was not started.',
  );
  endTurn(core, job, turn, 'failed', 'tools_undeliverable', detail);
}

/** The cord was pulled before the prompt left, or no program could be started. */
function notBegun(core: Core, job: Job, id: TurnId, error: unknown): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  if (error instanceof CordPulled) {
    pauseTurn(job, turn);
    proceed(core, job, id);
    return;
  }
  core.log('error', `An outside agent could not be prompted: ${describe(error)}`);
  endTurn(
    core,
    job,
    turn,
    'failed',
    'agent_failed',
    say('The agent could not be started; the log says why.'),
  );
}

/** The request was allowed, and there is no conversation to which that can be told (H2). */
function undeliverable(core: Core, job: Job, id: TurnId): void {
  const turn = job.tx.turn(id);
  if (turn === undefined || hasEnded(turn.status)) return;
  const detail = say(
    'The process that asked is gone, and its conversation cannot be resumed: it has not run.',
  );
  for (const call of job.tx.openCalls(id))
    if (call.status === 'allowed')
      recordResult(job, turn, call, failure('request_undeliverable', detail), false);
  endTurn(
    core,
    job,
    turn,
    'failed',
    'conversation_lost',
    say('The agent’s process is gone and its conversation cannot be resumed. Run the task again.'),
  );
}

const instructionsOf = (session: SessionRecord): string =>
  [session.instructions, session.note === '' ? '' : `Your note:\n${session.note}`]
    .filter((part) => part !== '')
    .join('\n\n');

/** With what an agent's process is started: a change needs a new one. */
const madeOf = ({ agent }: SessionRecord, turn: TurnRecord): string =>
  JSON.stringify([agent.kind === 'harness' ? [agent.harness, agent.model] : [], turn.mode, turn.folder]);

/** Whether the process that is there can be prompted for this turn. */
const fits = (live: LiveAgent, session: SessionRecord, turn: TurnRecord): boolean =>
  live.made === madeOf(session, turn) && live.session.isAlive();

/** The session's agent: the one that is there, or a new one. */
function agentOf(core: Core, session: SessionRecord, turn: TurnRecord, kept: HarnessRecord): LiveAgent {
  const { agent } = session;
  if (agent.kind !== 'harness') throw new Error('A model is no outside agent.');
  const there = core.agents.get(session.id);
  if (there !== undefined) return there;
  const options: HarnessOpen = {
    session: session.id,
    harness: agent.harness,
    model: agent.model,
    mode: turn.mode,
    folder: turn.folder,
    resume:
      kept.conversation !== undefined && kept.resumable
        ? { id: kept.conversation, used: kept.used }
        : undefined,
    sink: agentSink(core, () => live),
  };
  const live: LiveAgent = {
    id: session.id,
    made: madeOf(session, turn),
    session: core.harnesses.open(options),
    harness: agent.harness,
    tools: [],
    turn: undefined,
    behind: undefined,
    rounds: turn.rounds,
    requests: new Map(),
    told: new Map(),
    calls: new Map(),
    edits: new Map(),
    outputs: new Map(),
    works: new Map(),
    wasWarm: false,
    closing: undefined,
    endedFor: undefined,
    next: undefined,
  };
  core.agents.set(session.id, live);
  return live;
}

/** Hands the unread steers to the agent at work; what it takes is marked, and read when it says so (L1, T4). */
export function steerAgent(core: Core, id: TurnId, launch: Launch): void {
  const found = core.ledger.read((tx) => {
    const turn = tx.turn(id);
    if (turn?.phase !== 'agent') return undefined;
    const asks = tx.openCalls(id).some((call) => call.status === 'asking');
    return { turn, asks, steers: tx.unread(turn.session).filter(isSteer) };
  });
  const live = found === undefined ? undefined : core.agents.get(found.turn.session);
  if (found === undefined || live?.turn !== id) return;
  const reads = found.asks ? 'after_request' : 'next_step';
  for (const message of found.steers) {
    const isTaken = taken(core, () => live.session.steer(handed(message), launch));
    if (!isTaken) return;
    record(core, ofTurn(id), (job) => {
      const fresh = job.tx.message(message.id);
      if (fresh?.state !== 'accepted' || fresh.handed !== undefined) return;
      job.tx.changeMessage(message.id, { handed: reads });
      job.tx.emit('message_handed', { message: message.id, reads }, { session: message.session });
    });
  }
}

/** With what is attached to it, as in a prompt. */
const handed = ({ id, text, context, images }: MessageRecord): HandedMessage => ({
  message: id,
  text: messageText(text, context),
  images,
});

const isSteer = (message: MessageRecord): boolean =>
  message.delivery !== 'queue' && message.handed === undefined;

/** What reaches the agent's process, or does not because the cord was pulled meanwhile. */
function taken(core: Core, act: () => boolean): boolean {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof CordPulled)) core.log('error', `An outside agent failed: ${describe(error)}`);
    return false;
  }
}

/** Sends a verdict to the process that waits for it. A process that no longer does tells its own end. */
export function answerAgent(
  core: Core,
  session: SessionId,
  call: CallId,
  verdict: HarnessVerdict,
  launch: Launch,
): void {
  const live = core.agents.get(session);
  const request = live?.requests.get(call);
  if (live === undefined || request === undefined) return;
  live.requests.delete(call);
  const told = live.told.get(call);
  const tell = (): void => {
    // One that does not reach the process is told with the next prompt.
    const isSent = taken(core, () => live.session.answer(request, verdict, launch));
    if (told !== undefined) told.wasSent = isSent;
  };
  const edit = verdict.allow ? allowEdit(live, call) : undefined;
  if (edit === undefined) tell();
  else void takeBefore(core, live, edit).then(tell);
  if (live.behind === 'asks' && live.turn !== undefined)
    record(core, ofTurn(live.turn), (job) => endAsked(core, job, live));
}

/** Answers a request of the agent's process for which there is no row. */
export function replyAgent(
  core: Core,
  session: SessionId,
  request: string,
  verdict: HarnessVerdict,
  launch: Launch,
): void {
  const live = core.agents.get(session);
  if (live !== undefined) taken(core, () => live.session.answer(request, verdict, launch));
}

export const idleKey = (session: SessionId): string => `idle_agent:${session}`;

/** A process that nobody has prompted for long is ended, unless work of its own goes on in it. */
export function endWhenIdle(core: Core, live: LiveAgent): void {
  core.schedule.set(idleKey(live.id), core.clock.now() + HARNESS_IDLE_MS, () => {
    if (live.turn !== undefined || live.closing !== undefined || core.agents.get(live.id) !== live) return;
    if (live.session.isBusy()) endWhenIdle(core, live);
    else dropAgent(core, live.id);
  });
}

/** Goes up the agent's own ladder until its turn is gone; the end comes as an event (H4). Again: skips a step. */
export function interruptAgent(core: Core, id: TurnId): void {
  const live = [...core.agents.values()].find((one) => one.turn === id);
  // Of a turn that is there only for what is asked, the agent knows nothing.
  if (live?.behind === 'asks') {
    record(core, ofTurn(id), (job) => stopAsked(core, job, live));
    return;
  }
  live?.session
    .interrupt()
    .catch((error: unknown) => core.log('error', `An interrupt failed: ${describe(error)}`));
}

/** Ends every agent's process with its tree; each promise settles when its own has been seen gone (H7). */
export const closeAgents = (core: Core, reason: StopReason): readonly Promise<unknown>[] =>
  [...core.agents.values()].map((live) => close(core, live, reason));

/** Lets an agent's process go: its session is over, or another agent takes its place. */
export function dropAgent(core: Core, session: SessionId, why?: string): void {
  const live = core.agents.get(session);
  if (live === undefined || live.closing !== undefined) return;
  live.endedFor = why;
  close(core, live, 'superseded').then(
    ({ survivors }) => {
      if (survivors.length > 0)
        core.log('warn', `Processes of an outside agent survive: ${survivors.join(', ')}.`);
    },
    (error: unknown) => core.log('error', `An outside agent could not be ended: ${describe(error)}`),
  );
}

/** It stays among those under way until it has been seen gone, so that a pause and the host's end wait for it (P1). */
function close(core: Core, live: LiveAgent, reason: StopReason): NonNullable<LiveAgent['closing']> {
  core.schedule.clear(idleKey(live.id));
  live.closing ??= live.session.dispose(reason).finally(() => {
    if (core.agents.get(live.id) === live) core.agents.delete(live.id);
  });
  return live.closing;
}

/** Where an agent's turn stands among the things that a person sees. */
export const agentTitle = (core: Core, live: LiveAgent): string =>
  core.ledger.read((tx) => tx.session(live.id)?.title) ?? live.id;
