/**
 * Events of an outside agent on their way into the store: in their order, several to a commit, and no more of
 * them in memory than `QUEUE_BYTES` (R1, R10, H5).
 * E1 What is only shown is shown between the commits before and behind it.
 * E2 A commit that the disk refuses is made again before anything that came later; one that cannot be written for
 *    another reason ends the agent's run, behind what can be (R5).
 * E3 Taking an event never rejects: what goes wrong with it ends the run, and not the host.
 */
import { clientToolName } from '../questions/identity';
import { MIB, SHOWN_BYTES, type CallId } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { HarnessCall, HarnessEvent, HarnessSink } from '../harnessPort';
import type { ToolChange } from '../ports';
import { wakeForRequest } from './agentAsks';
import { applyCall, applyPermission, callOf, refuse, reply, type SeenCall } from './agentCalls';
import { keepEdited, noteEdit, roomAfter, takeAfter } from './agentEdits';
import { applyQuestion, applyUnasked, heard } from './agentQuestions';
import { applyAgentEvent, failRun } from './agentFacts';
import type { LiveAgent } from './agentLive';
import { workOf } from './agentWork';
import { isPrepared, workplace } from './calls';
import { describe, type Core, type Job } from './core';
import { record, recorded } from './facts';
import { ofNothing, ofTurn } from './unwritten';

/** Text of events that wait for the disk, characters: beyond it the agent's output is not read on. */
const QUEUE_CHARACTERS = 4 * MIB;
/** Events of one commit: a store that is slow gets larger ones. */
const BATCH = 256;

interface Waiting {
  readonly event: HarnessEvent;
  readonly weight: number;
}

/** Takes an agent's events; settles when there is room for more. */
export function agentSink(core: Core, live: () => LiveAgent): HarnessSink {
  const queue: Waiting[] = [];
  let weight = 0;
  let isAtWork = false;
  let drained: Promise<void> = Promise.resolve();
  const failed = (error: unknown): void => {
    core.log('error', `An outside agent's event could not be read: ${describe(error)}`);
    recordFailure(core, live());
  };
  const drain = async (): Promise<void> => {
    isAtWork = true;
    try {
      for (let first = queue[0]; first !== undefined; first = queue[0]) {
        const agent = live();
        if (isShown(first.event)) {
          queue.shift();
          weight -= first.weight;
          show(core, agent, first.event);
          continue;
        }
        const batch = takeBatch(queue, agent);
        await commitBatch(
          core,
          agent,
          batch.map((one) => one.event),
        ).catch(failed);
        for (const one of batch) weight -= one.weight;
      }
    } finally {
      // In the tick in which the queue was seen empty: what comes next begins anew.
      isAtWork = false;
    }
  };
  return async (event) => {
    try {
      const one = { event, weight: weightOf(event) };
      queue.push(one);
      weight += one.weight;
    } catch (error) {
      failed(error);
      return;
    }
    if (!isAtWork) drained = drain().catch(failed);
    // Whoever brings more waits for what is there; nobody waits for a little.
    if (weight > QUEUE_CHARACTERS) await drained;
  };
}

function recordFailure(core: Core, agent: LiveAgent): void {
  const turn = agent.turn ?? core.ledger.read((tx) => tx.session(agent.id)?.turn);
  record(core, turn === undefined ? ofNothing : ofTurn(turn), (job) => failRun(core, job, agent));
}

/** Shows what is not kept. */
function show(core: Core, agent: LiveAgent, event: Shown): void {
  switch (event.kind) {
    case 'text':
    case 'reasoning':
      if (agent.turn !== undefined)
        core.show(
          event.kind === 'text' ? 'text_delta' : 'reasoning_delta',
          { step: agent.rounds + 1, text: event.text },
          { session: agent.id, turn: agent.turn },
        );
      return;
    case 'output': {
      const work = workOf(agent, event.id);
      if (work !== undefined) {
        work.run.output.add(Buffer.from(event.text));
        core.show(
          'tool_progress',
          { call_id: work.call, stream: 'stdout', text: event.text },
          { session: agent.id, turn: work.turn },
        );
        return;
      }
      const call = agent.calls.get(event.id);
      if (agent.turn === undefined || call === undefined) return;
      const kept = agent.outputs.get(call) ?? new Capture(SHOWN_BYTES);
      agent.outputs.set(call, kept);
      kept.add(Buffer.from(event.text));
      core.show(
        'tool_progress',
        { call_id: call, stream: 'stdout', text: event.text },
        { session: agent.id, turn: agent.turn },
      );
      return;
    }
    case 'notice':
      core.log('info', `Outside agent of ${agent.id}: ${event.text}`);
  }
}

/** Facts that may share a commit: up to the next thing that is only shown, and a run's end by itself. */
function takeBatch(queue: Waiting[], agent: LiveAgent): readonly Waiting[] {
  let count = 0;
  for (const { event } of queue) {
    const isAlone =
      isTurning(event) || endsEdit(event, agent) || (isAsking(event) && agent.turn === undefined);
    if (count === BATCH || isShown(event) || (count > 0 && isAlone)) break;
    count += 1;
    if (isAlone || tellsEdit(event)) break;
  }
  return queue.splice(0, Math.max(1, count));
}

/** Contents of files are held until they are committed: those of one edit at a time (R10). */
const endsEdit = (event: HarnessEvent, agent: LiveAgent): boolean =>
  event.kind === 'result' && agent.edits.has(event.id);

/** Its result may be among the very next events, and is known as one only behind this. */
const tellsEdit = (event: HarnessEvent): boolean =>
  (event.kind === 'call' || event.kind === 'permission') && event.call.deed.kind === 'edit';

type Shown = Extract<HarnessEvent, { kind: 'text' | 'reasoning' | 'output' | 'notice' }>;

const isShown = (event: HarnessEvent): event is Shown =>
  event.kind === 'text' || event.kind === 'reasoning' || event.kind === 'output' || event.kind === 'notice';

const isAsking = (event: HarnessEvent): boolean => event.kind === 'permission' || event.kind === 'question';

/** What changes to which turn the later events belong. */
const isTurning = (event: HarnessEvent): boolean =>
  event.kind === 'ended' || event.kind === 'woke' || event.kind === 'gone';

async function commitBatch(core: Core, agent: LiveAgent, events: readonly HarnessEvent[]): Promise<void> {
  const jobs: ((job: Job) => void)[] = [];
  for (const event of events) jobs.push(heard(agent, event), await factOf(core, agent, event));
  const isKept = await recorded(core, (job) => {
    for (const apply of jobs) apply(job);
  });
  if (isKept || core.stopping) return;
  // What came before the one that cannot be written is kept.
  for (const apply of jobs) if (!(await recorded(core, apply))) break;
  recordFailure(core, agent);
}

/** Looks at a call's disk before its job, which may not wait. */
async function factOf(core: Core, agent: LiveAgent, event: HarnessEvent): Promise<(job: Job) => void> {
  if (event.kind === 'question' || event.kind === 'unasked') return askedFact(core, agent, event);
  if (event.kind === 'result' || event.kind === 'ended') return editedFact(core, agent, event);
  if (event.kind !== 'call' && event.kind !== 'permission') return applyAgentEvent(core, agent, event);
  // A call of a client tool has its own row, made where it is answered: there it is judged and asked for.
  if (isClientCall(core, event.call)) {
    if (event.kind === 'call') return () => undefined;
    const { request, call } = event;
    return agent.turn === undefined
      ? (job) => refuse(core, job, agent, request)
      : (job) => reply(core, job, agent, request, { allow: true, args: call.args });
  }
  if (isAsking(event) && agent.turn === undefined) await recorded(core, (job) => wakeForRequest(job, agent));
  const id = agent.turn;
  const turn = id === undefined ? undefined : core.ledger.read((tx) => tx.turn(id));
  if (turn === undefined)
    return event.kind === 'call' ? () => undefined : (job) => refuse(core, job, agent, event.request);
  const call = callOf(core, agent, turn, event.call);
  const looked = await core.harnesses.prepare(event.call, workplace(core, turn, call));
  const origin = { kind: 'agent', agent: agent.harness } as const;
  const prepared = isPrepared(looked) ? { ...looked, origin } : looked;
  noteEdit(agent, event.call, prepared);
  const seen: SeenCall = { id: call, said: event.call, prepared };
  return event.kind === 'call'
    ? applyCall(core, turn.id, seen, event.started)
    : applyPermission(core, agent, turn.id, seen, event.request);
}

/** What has ended is looked at before its job, and what it has changed is written down with its end. */
async function editedFact(
  core: Core,
  agent: LiveAgent,
  event: Extract<HarnessEvent, { kind: 'result' | 'ended' }>,
): Promise<(job: Job) => void> {
  const turn = agent.turn;
  const ids = event.kind === 'result' ? [event.id] : [...agent.edits.keys()];
  const over = event.kind === 'ended' ? 'untold' : event.result.failed ? 'failed' : 'done';
  const room = roomAfter();
  const edits: { readonly call: CallId; readonly changes: readonly ToolChange[] }[] = [];
  for (const id of ids) {
    const call = agent.calls.get(id);
    const changes = await takeAfter(core, agent, id, over, room);
    if (call !== undefined && changes.length > 0) edits.push({ call, changes });
  }
  const apply = applyAgentEvent(core, agent, event);
  if (turn === undefined || edits.length === 0) return apply;
  return (job) => {
    for (const { call, changes } of edits) keepEdited(job, turn, call, changes);
    apply(job);
  };
}

/** One that comes behind a run opens a turn of its own, as a permission does. */
async function askedFact(
  core: Core,
  agent: LiveAgent,
  event: Extract<HarnessEvent, { kind: 'question' | 'unasked' }>,
): Promise<(job: Job) => void> {
  if (event.kind === 'question' && agent.turn === undefined)
    await recorded(core, (job) => wakeForRequest(job, agent));
  const id = agent.turn;
  const turn = id === undefined ? undefined : core.ledger.read((tx) => tx.turn(id));
  if (turn === undefined) {
    const { request } = event;
    return (job) => {
      if (request !== undefined) refuse(core, job, agent, request);
    };
  }
  const call = callOf(core, agent, turn, event.call);
  return event.kind === 'question'
    ? applyQuestion(core, agent, turn.id, call, event)
    : applyUnasked(core, agent, turn.id, call, event);
}

/** By its name and by what it does: no client tool runs a command or edits, whatever a call is named. */
function isClientCall(core: Core, { tool, deed }: HarnessCall): boolean {
  if (deed.kind === 'command' || deed.kind === 'edit') return false;
  return core.clientTools.specs().some((spec) => spec.name === clientToolName(tool));
}

/** Bytes are not counted: characters are near enough, and cost nothing. */
function weightOf(event: HarnessEvent): number {
  switch (event.kind) {
    case 'text':
    case 'reasoning':
    case 'message':
    case 'output':
      return 64 + event.text.length;
    case 'call':
    case 'permission':
    case 'question':
    case 'unasked':
    case 'result':
      return 64 + JSON.stringify(event).length;
    default:
      return 64;
  }
}
