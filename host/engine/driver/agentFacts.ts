/** What an outside agent says of its run, written down: its words, what it used, what it has read, how it ended. */
import { addUsage, ANSWER_BYTES, type Handed, type TurnId, say } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { HarnessEvent, HarnessOutcome } from '../harnessPort';
import type { CallResult } from '../ports';
import type { HarnessRecord, SessionRecord, TurnRecord } from '../records';
import { afterRun, UNTRUSTED_WORDS } from '../turns/agentRun';
import { hasEnded } from '../turns/turn';
import { isAskedBehind, loseAsked } from './agentAsks';
import { applyGone, applyResult, refuse } from './agentCalls';
import { dropAsked } from './agentQuestions';
import { endWhenIdle, recordOf } from './agents';
import type { LiveAgent } from './agentLive';
import { endWork, keepWork, loseWork, workOf } from './agentWork';
import { failure, recordResult, where } from './calls';
import type { Core, Job } from './core';
import { beginRun, endTurn, pauseTurn, park, proceed, startNext, startWoken } from './turns';

type Fact = (job: Job) => void;
const nothing: Fact = () => undefined;

/** The job of one event. What it changes of `agent` is the same when the job is run again. */
export function applyAgentEvent(core: Core, agent: LiveAgent, event: HarnessEvent): Fact {
  switch (event.kind) {
    case 'conversation':
      return keep(agent, (kept) =>
        kept.conversation === event.id
          ? kept
          : { ...kept, conversation: event.id, tools: agent.tools.map((tool) => tool.name) },
      );
    case 'turn': {
      const { turn } = agent;
      return keep(agent, (kept) => ({ ...kept, resumable: true, prompted: turn, messages: [], notes: [] }));
    }
    case 'woke':
      return woke(agent);
    case 'message':
      return said(agent, event.text, event.reasoning);
    case 'result':
      return workOf(agent, event.id) === undefined
        ? applyResult(core, agent, event.id, event.result)
        : endWork(core, agent, event.id, event.result);
    case 'work_over':
      return endWork(core, agent, event.id, event.how);
    case 'permission_gone':
      return applyGone(core, agent, event.request);
    case 'read':
    case 'unread':
      return event.kind === 'read' ? read(agent, event) : (job) => handBack(job, agent, event.message);
    case 'usage':
      return used(agent, event);
    case 'retry': {
      const { turn } = agent;
      const { attempt, attempts, detail, delayMs } = event;
      const code = event.limited ? 'model_overloaded' : 'model_unreachable';
      return (job) => {
        if (turn !== undefined)
          job.tx.emit(
            'model_retry',
            { attempt, attempts, code, detail, delayMs },
            { session: agent.id, turn },
          );
      };
    }
    case 'ended':
      return runEnded(core, agent, event);
    case 'gone':
      return gone(core, agent, event.killed);
    case 'call':
    case 'permission':
    case 'question':
    case 'unasked':
    case 'text':
    case 'reasoning':
    case 'output':
    case 'notice':
      return nothing;
  }
}

/** Changes what is kept of the session's agent. */
function keep(agent: LiveAgent, change: (kept: HarnessRecord) => HarnessRecord): Fact {
  return (job) => {
    const session = job.tx.session(agent.id);
    if (session?.agent.kind === 'harness') job.tx.setHarness(agent.id, change(recordOf(job.tx, session)));
  };
}

/** The agent works without a prompt: its words belong to a turn of their own (T1), or to the one that asks for it. */
function woke(agent: LiveAgent): Fact {
  return (job) => {
    if (agent.behind === 'asks') agent.behind = 'works';
    if (agent.turn === undefined) wake(job, agent);
  };
}

/** Opens a turn that nobody has prompted; false where none can be. */
export function wake(job: Job, agent: LiveAgent): boolean {
  const turn = startWoken(job, agent.id);
  if (turn === undefined) return false;
  agent.turn = turn.id;
  agent.behind = undefined;
  agent.rounds = 0;
  agent.calls.clear();
  agent.edits.clear();
  return true;
}

function said(agent: LiveAgent, whole: string, reasoning: string | undefined): Fact {
  const { turn: id } = agent;
  if (id === undefined) return nothing;
  const step = agent.rounds + 1;
  if (whole !== '') agent.rounds = step;
  const text = cut(whole);
  return (job) => {
    const turn = job.tx.turn(id);
    if (turn === undefined || hasEnded(turn.status)) return;
    job.tx.emit(
      'message_completed',
      { step, text, ...(reasoning === undefined ? {} : { reasoning: cut(reasoning) }) },
      where(turn),
    );
    if (whole !== '') job.tx.changeTurn(id, { rounds: step });
  };
}

/** An answer as long as a model's may be; the rest is counted (R10). */
function cut(text: string): string {
  if (text.length <= ANSWER_BYTES / 4) return text;
  const kept = new Capture(ANSWER_BYTES);
  kept.add(Buffer.from(text));
  return kept.shown(ANSWER_BYTES).text;
}

function used(agent: LiveAgent, event: Extract<HarnessEvent, { kind: 'usage' }>): Fact {
  const { turn: id } = agent;
  return (job) => {
    const turn = id === undefined ? undefined : job.tx.turn(id);
    const session = job.tx.session(agent.id);
    if (turn === undefined || session === undefined) return;
    job.tx.emit('usage_recorded', { step: turn.rounds, model: turn.model, usage: event.usage }, where(turn));
    job.tx.changeSession(session.id, { usage: addUsage(session.usage, event.usage) });
    job.tx.changeTurn(turn.id, { usage: addUsage(turn.usage, event.usage) });
    keep(agent, (kept) => ({ ...kept, used: addUsage(kept.used, event.usage) }))(job);
  };
}

/** The agent has read a message that was handed to it (T4). */
function read(agent: LiveAgent, event: Extract<HarnessEvent, { kind: 'read' }>): Fact {
  const { turn } = agent;
  return (job) => {
    const message = job.tx.message(event.message);
    if (turn === undefined || message?.state !== 'accepted') return;
    const step = job.tx.turn(turn)?.rounds ?? 0;
    job.tx.changeMessage(message.id, { state: 'read', turn, step, handed: undefined });
    job.tx.emit(
      'message_read',
      {
        message: message.id,
        step,
        text: message.text,
        ...(message.images.length === 0 ? {} : { images: [...message.images] }),
        ...(message.context.length === 0 ? {} : { context: [...message.context] }),
      },
      { session: agent.id, turn },
    );
  };
}

/** A message that the agent will not read after all waits again. */
function handBack(job: Job, agent: LiveAgent, only?: string): void {
  for (const message of job.tx.handedOver(agent.id)) {
    if (only !== undefined && message.id !== only) continue;
    const none: Handed | undefined = undefined;
    job.tx.changeMessage(message.id, { handed: none });
    job.tx.emit('message_handed', { message: message.id }, { session: agent.id });
  }
}

/** The process is gone: what it had in its hands comes back, and the next prompt starts another. */
function gone(core: Core, agent: LiveAgent, killed: readonly string[]): Fact {
  agent.requests.clear();
  agent.told.clear();
  const lose = loseWork(core, agent);
  const asked = agent.behind === 'asks' ? agent.turn : undefined;
  return (job) => {
    handBack(job, agent);
    lose(job);
    if (asked !== undefined) loseAsked(core, job, agent, asked);
    const session = job.tx.session(agent.id);
    if (session === undefined || session.turn !== undefined) return;
    if (killed.length > 0) resumeAfter(core, job, session, killed);
    if (job.tx.session(agent.id)?.turn === undefined) startNext(core, job, agent.id);
  };
}

/** Work that was killed behind a turn that had ended well: a turn of its own for the one Resume of its prompt (H3). */
function resumeAfter(core: Core, job: Job, session: SessionRecord, killed: readonly string[]): void {
  const last = job.tx.lastTurn(session.id);
  const kept = recordOf(job.tx, session);
  if (last?.status !== 'completed') return;
  const isSpent = kept.resumed === last.id;
  job.tx.setHarness(session.id, { ...kept, killed });
  if (isSpent || !kept.resumable || core.cord.pulled || core.stopping || !core.trusted()) {
    job.tx.emit('agent_work_killed', { killed: [...killed] }, where(last));
    return;
  }
  const turn = startWoken(job, session.id);
  if (turn === undefined) return;
  job.tx.setHarness(session.id, { ...kept, killed, resumed: turn.id });
  job.tx.emit('agent_resumed', { killed: [...killed] }, where(turn));
  beginRun(core, job, turn);
}

function runEnded(core: Core, agent: LiveAgent, event: Extract<HarnessEvent, { kind: 'ended' }>): Fact {
  const { turn: id } = agent;
  if (id === undefined) return nothing;
  const { prompted } = event;
  return (job) => {
    const turn = job.tx.turn(id);
    if (turn === undefined || hasEnded(turn.status)) return;
    if (!prompted && turn.cause !== 'wake' && agent.behind !== 'works') return;
    if (isAskedBehind(job, agent, turn, event)) {
      agent.behind = 'asks';
      keepWork(core, job, agent, turn, event.work);
      return;
    }
    endRun(core, job, agent, turn, event);
  };
}

/** A run is over, and its turn with it, unless something carries that on. */
export function endRun(
  core: Core,
  job: Job,
  agent: LiveAgent,
  turn: TurnRecord,
  event: Extract<HarnessEvent, { kind: 'ended' }>,
): void {
  agent.turn = undefined;
  agent.behind = undefined;
  if (agent.session.isAlive()) endWhenIdle(core, agent);
  // What the agent did not wait for itself would wait for ever.
  for (const request of agent.requests.values()) refuse(core, job, agent, request);
  finish(core, job, agent, turn, event);
  agent.requests.clear();
  agent.outputs.clear();
  core.settled.get(turn.id)?.forEach((look) => look());
}

function finish(
  core: Core,
  job: Job,
  agent: LiveAgent,
  turn: TurnRecord,
  { outcome, goesOn, work }: Extract<HarnessEvent, { kind: 'ended' }>,
): void {
  const session = job.tx.session(turn.session);
  if (session === undefined) return;
  const kept = recordOf(job.tx, session);
  const isLost = outcome.kind === 'failed' && outcome.lost === true;
  const next = afterRun(
    {
      status: turn.status,
      phase: turn.phase,
      resumed: kept.resumed === turn.id,
      resumable: kept.resumable && !isLost,
      earlier: kept.killed,
      asks: job.tx.openCalls(turn.id).some((call) => call.status === 'asking'),
      cordPulled: core.cord.pulled,
      hostStops: core.stopping,
      trusted: core.trusted(),
      unheard: agent.wasWarm && kept.prompted !== turn.id,
    },
    outcome,
  );
  if (isLost) {
    job.tx.setHarness(session.id, {
      ...kept,
      conversation: undefined,
      resumable: false,
      prompted: undefined,
    });
    job.effects.push({ kind: 'drop_agent', session: session.id });
  }
  if (outcome.kind === 'completed') keepWork(core, job, agent, turn, work);
  settleRunning(core, job, agent, turn, outcome, goesOn);
  switch (next.kind) {
    case 'nothing':
    case 'leave':
      return;
    case 'resume':
      dropAsked(job, agent, turn);
      job.tx.setHarness(session.id, { ...kept, resumed: turn.id, killed: next.killed });
      job.tx.emit('agent_resumed', { killed: [...next.killed] }, where(turn));
      beginRun(core, job, turn);
      return;
    case 'again':
      beginRun(core, job, turn);
      return;
    case 'hold':
      pauseTurn(job, turn);
      proceed(core, job, turn.id);
      return;
    case 'park': {
      const asking = job.tx.openCalls(turn.id).find((call) => call.status === 'asking');
      if (asking !== undefined && turn.status !== 'waiting') park(job, turn, asking);
      return;
    }
    case 'end': {
      dropAsked(job, agent, turn);
      if (!isLost) job.tx.setHarness(session.id, { ...recordOf(job.tx, session), killed: next.killed });
      if (next.status === 'completed' && next.killed.length > 0)
        job.tx.emit('agent_work_killed', { killed: [...next.killed] }, where(turn));
      endTurn(
        core,
        job,
        turn,
        next.status,
        next.code,
        next.detail ?? agent.endedFor ?? stopDetail(outcome),
        stoppedBy(outcome),
      );
    }
  }
}

const stoppedBy = (outcome: HarnessOutcome) => (outcome.kind === 'stopped' ? outcome.by : undefined);

/** The sentence for the record of a stop (H4). */
function stopDetail(outcome: HarnessOutcome): string | undefined {
  const by = stoppedBy(outcome);
  if (by === undefined) return undefined;
  const after = `The agent ended after ${by.step}`;
  return by.survivors.length === 0
    ? `${after}, and nothing of it is left.`
    : `${after}, but processes of it survive: ${by.survivors.join(', ')}.`;
}

/** Gives what ran its end; what waits for a person goes on waiting, and what was allowed is still to be done. */
function settleRunning(
  core: Core,
  job: Job,
  agent: LiveAgent,
  turn: TurnRecord,
  outcome: HarnessOutcome,
  goesOn: boolean,
): void {
  for (const call of job.tx.openCalls(turn.id)) {
    if (call.status !== 'running' && call.status !== 'planned') continue;
    const output = agent.outputs.get(call.call)?.shown(ANSWER_BYTES).text;
    recordResult(job, turn, call, unfinished(core, turn, outcome, goesOn, output), call.status === 'running');
  }
}

function unfinished(
  core: Core,
  turn: TurnRecord,
  outcome: HarnessOutcome,
  goesOn: boolean,
  output: string | undefined,
): CallResult {
  const rest = output === undefined ? {} : { stdout: output };
  if (outcome.kind === 'completed' && goesOn)
    return {
      output: { ...rest, background: true, detail: 'It goes on in the agent’s own process.' },
      failed: false,
    };
  if (outcome.kind === 'completed')
    return failure('lost', say('It still ran when the agent’s turn ended, and ended with it.'), rest);
  if (outcome.kind === 'failed')
    return failure('outcome_unknown', say('The agent’s run failed before it told what became of it.'), rest);
  if (core.stopping) return failure('stopped', say('Belay was shutting down and ended the agent.'), rest);
  if (core.cord.pulled && turn.phase !== 'ending')
    return failure('host_paused', say('The person paused everything; the agent was ended with it.'), rest);
  if (!core.trusted()) return failure('cancelled', UNTRUSTED_WORDS, rest);
  return failure('cancelled', say('The turn was interrupted, and the agent ended it.'), rest);
}

/** The host's own failure while it wrote down what an agent did: the turn says so (R5). */
export function failRun(core: Core, job: Job, agent: LiveAgent): void {
  const id: TurnId | undefined = agent.turn ?? job.tx.session(agent.id)?.turn;
  const turn = id === undefined ? undefined : job.tx.turn(id);
  agent.turn = undefined;
  job.effects.push({ kind: 'drop_agent', session: agent.id });
  if (turn !== undefined && !hasEnded(turn.status))
    endTurn(
      core,
      job,
      turn,
      'failed',
      'internal',
      say('The host failed at what the agent told; its log says why.'),
    );
}
