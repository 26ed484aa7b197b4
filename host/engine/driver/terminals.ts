/**
 * Looks at terminals (X3): the first one is the result of the call that opened it, the others are `write_stdin`.
 * Each types or resizes first if it is asked to, waits for its time or for the terminal's end, and tells what is
 * new. A steer ends the wait; what has come by then is left for the next look (L1, L7).
 */
import { z } from 'zod';
import {
  HandleId,
  YIELD_MS,
  YIELD_MOST_MS,
  type CallId,
  type SessionId,
  type TurnId,
  say,
} from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import { refuse, RequestError } from '../errors';
import type { CallResult, Prepared, Run, StopReason } from '../ports';
import type { Terminal, TerminalLook } from '../terminalPort';
import type { CallRecord, HandleRecord, TurnRecord } from '../records';
import { handleView } from '../views';
import { failure, isPrepared, letBy, markStarted, settleCall, where } from './calls';
import { describe, runKey, type Core, type Job, type LiveLook } from './core';
import { record } from './facts';
import { finishRun } from './finish';
import { answerWithHandle } from './lifts';
import { proceed } from './turns';
import { ofCall } from './unwritten';

const LookArgs = z.looseObject({ yield_ms: z.number().int().min(0).max(YIELD_MOST_MS).optional() });
export const WriteArgs = z.object({
  handle: z.string(),
  text: z.string().optional(),
  yield_ms: z.number().int().min(0).max(YIELD_MOST_MS).optional(),
  cols: z.number().int().positive().optional(),
  rows: z.number().int().positive().optional(),
  kill: z.boolean().optional(),
});

/** Starts a terminal: its handle is there before it, and its call goes on until the first look is over. */
export function startTerminal(core: Core, job: Job, turn: TurnRecord, call: CallRecord): void {
  markStarted(job, turn, call, letBy(core, job, turn, call));
  const handle = job.tx.insertHandle({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    kind: 'terminal',
    title: call.title,
    folder: turn.folder,
    lifted: false,
    state: 'running',
    waitsFor: undefined,
    ran: true,
  });
  job.tx.changeCall(turn.id, call.call, { handle: handle.id });
  job.tx.audit(turn.id, call.call, { handle: handle.id });
  job.tx.emit('handle_started', { handle: handle.id, content: handleView(handle) }, where(turn));
  job.effects.push({ kind: 'run', turn: turn.id, call: call.call, launch: core.cord.launch() });
  graceForUnread(job, turn);
}

/** `write_stdin` on a terminal that runs; false when it is none, or runs no more. */
export function startLook(core: Core, job: Job, turn: TurnRecord, call: CallRecord): boolean {
  const handle = terminalOf(job, turn, call);
  if (handle?.state !== 'running' || handle.kind !== 'terminal') return false;
  markStarted(job, turn, call, letBy(core, job, turn, call));
  const launch = core.cord.launch();
  job.effects.push({ kind: 'look', turn: turn.id, call: call.call, handle: handle.id, launch });
  graceForUnread(job, turn);
  return true;
}

/** A steer that came before the wait began ends it as well, after the same grace (L1). */
function graceForUnread(job: Job, turn: TurnRecord): void {
  if (job.tx.hasUnreadSteer(turn.session)) job.effects.push({ kind: 'grace', turn: turn.id });
}

/** The terminal that a running call looks at: its own, or the one that `write_stdin` names. */
export function terminalOf(job: Job, turn: TurnRecord, call: CallRecord): HandleRecord | undefined {
  if (call.handle !== undefined) return job.tx.handle(call.handle);
  if (!isPrepared(call.prepared) || call.tool !== 'write_stdin') return undefined;
  const args = WriteArgs.safeParse(call.prepared.args);
  const id = HandleId.safeParse(args.success ? args.data.handle : '');
  const handle = id.success ? job.tx.handle(id.data) : undefined;
  return handle?.session === turn.session ? handle : undefined;
}

/** A look at a terminal ends with the terminal's own handle; what it would have told is left for the next one (L7). */
export function liftLook(job: Job, turn: TurnRecord, call: CallRecord, terminal: HandleRecord): void {
  const isOwn = terminal.turn === turn.id && terminal.call === call.call;
  if (isOwn) job.tx.changeHandle(terminal.id, { lifted: true });
  answerWithHandle(job, turn, call, { ...terminal, lifted: terminal.lifted || isOwn }, undefined, false);
  if (!isOwn) job.tx.closeAudit(turn.id, call.call, 'completed', true);
  job.effects.push({ kind: 'detach', turn: turn.id, call: call.call });
}

/** What `write_stdin` says of a handle that is no running terminal. */
export function notATerminal(job: Job, turn: TurnRecord, call: CallRecord): CallResult {
  const args = isPrepared(call.prepared) ? WriteArgs.safeParse(call.prepared.args) : undefined;
  const asked = args?.success === true ? args.data : undefined;
  const handle = terminalOf(job, turn, call);
  if (handle === undefined)
    return failure(
      'handle_unknown',
      say('There is no handle {handle} in this session.', { handle: asked?.handle ?? '' }),
    );
  if (handle.kind !== 'terminal')
    return failure(
      'tool_failed',
      say('{handle} takes no input: only a terminal does.', { handle: handle.id }),
    );
  if (handle.state !== 'ended')
    return failure('tool_failed', say('{handle} has not started yet.', { handle: handle.id }));
  const rest = { handle: handle.id, running: false, ended: handle.end };
  if (asked?.text !== undefined && asked.text !== '')
    return failure('tool_failed', say('{handle} has ended: nothing was typed.', { handle: handle.id }), rest);
  // What it printed last; its own failure is not this call's.
  const { error: _error, detail: _detail, ...last } = handle.result?.output ?? {};
  return { output: { ...last, ...rest }, failed: false };
}

interface LookAt {
  readonly turn: TurnId;
  readonly call: CallId;
  readonly handle: HandleId;
  readonly launch: Launch;
}

/** Types and resizes, then looks. Runs after its commit, as an effect. */
export function performLook(core: Core, at: LookAt): void {
  const call = core.ledger.read((tx) => tx.call(at.turn, at.call));
  if (call === undefined || !isPrepared(call.prepared)) return;
  const { prepared } = call;
  const run = runOf(core, at.handle);
  if (run?.terminal === undefined) {
    answer(core, at, hasEnded(at.handle));
    return;
  }
  // Before its program runs nothing can be typed into it. Lifted or not, what was allowed is typed.
  void run.terminal.started.then(() => {
    const refused = typeInto(run, prepared, at);
    if (refused === undefined) return;
    answer(core, at, refused);
    core.looks.get(runKey(at.turn, at.call))?.abandon();
  });
  // A message has lifted it in the commit in which it began: what comes is for the next look.
  if (call.status !== 'running') return;
  const look = beginLook(core, at, prepared, run, at.handle);
  core.runs.set(runKey(at.turn, at.call), {
    turn: at.turn,
    call: at.call,
    prepared: call.prepared,
    run: {
      done: look.over,
      stop: (reason) => {
        look.stop(reason);
        return Promise.resolve({ stopped: true, survivors: [] });
      },
      detach: () => look.abandon(),
      read: (offset) => ({ text: '', offset, total: 0 }),
    },
  });
}

/** The allowed `write_stdin` of a call that was lifted before: it types, and leaves what comes for the next look (L7). */
export function typeOnly(core: Core, session: SessionId, prepared: Prepared, launch: Launch): CallResult {
  const args = WriteArgs.safeParse(prepared.args);
  const id = HandleId.safeParse(args.success ? args.data.handle : '');
  const isOwn = id.success && core.ledger.read((tx) => tx.handle(id.data))?.session === session;
  if (!id.success || !isOwn)
    return failure('handle_unknown', say('There is no such handle in this session.'));
  const refused = typeInto(runOf(core, id.data), prepared, { handle: id.data, launch });
  return refused ?? { output: { handle: id.data, typed: true, running: true }, failed: false };
}

function runOf(core: Core, id: HandleId): Run | undefined {
  const handle = core.ledger.read((tx) => tx.handle(id));
  return handle === undefined ? undefined : core.runs.get(runKey(handle.turn, handle.call))?.run;
}

const hasEnded = (handle: HandleId): CallResult =>
  failure('tool_failed', say('{handle} has ended: nothing was typed.', { handle }), { handle });

/** What keeps it from being done, as a result. */
function typeInto(
  run: Run | undefined,
  prepared: Prepared,
  at: Pick<LookAt, 'handle' | 'launch'>,
): CallResult | undefined {
  const args = WriteArgs.safeParse(prepared.args);
  if (run?.terminal === undefined || !args.success) return hasEnded(at.handle);
  return act(run.terminal, args.data, at);
}

function act(
  terminal: Terminal,
  args: z.infer<typeof WriteArgs>,
  { handle, launch }: Pick<LookAt, 'handle' | 'launch'>,
): CallResult | undefined {
  const { cols, rows } = terminal.size;
  try {
    if (args.cols !== undefined || args.rows !== undefined)
      terminal.resize(args.cols ?? cols, args.rows ?? rows, launch);
    if (args.text === undefined || args.text === '') return undefined;
    switch (terminal.write(args.text, launch)) {
      case 'written':
        return undefined;
      case 'full':
        return failure(
          'tool_failed',
          say('Nothing was typed: the program in {handle} has not read what was typed before.', { handle }),
        );
      case 'ended':
        return failure(
          'tool_failed',
          say('Nothing was typed: the program in {handle} is ending.', { handle }),
        );
    }
  } catch (error) {
    if (!(error instanceof CordPulled)) throw error;
    return { ...failure('host_paused', say('The person paused everything: nothing was typed.')), ran: false };
  }
}

interface Look extends LiveLook {
  /** Resolves with what was told, or would have been. */
  readonly over: Promise<CallResult>;
  stop(reason: StopReason): void;
}

/** Waits for the time of a look, counted from the start of its program, or for the program's end. */
export function beginLook(
  core: Core,
  at: { readonly turn: TurnId; readonly call: CallId },
  prepared: Prepared,
  run: Run,
  handle: HandleId,
): Look {
  const { terminal } = run;
  const key = runKey(at.turn, at.call);
  const args = LookArgs.safeParse(prepared.args);
  const yieldMs = (args.success ? args.data.yield_ms : undefined) ?? YIELD_MS;
  let isOver = false;
  let settle: (result: CallResult) => void = () => {};
  const over = new Promise<CallResult>((resolve) => (settle = resolve));
  const close = (): boolean => {
    if (isOver) return false;
    isOver = true;
    core.looks.delete(key);
    core.schedule.clear(`yield:${key}`);
    return true;
  };
  const tell = (
    result: CallResult,
    then?: { readonly look?: TerminalLook; readonly end?: CallResult },
  ): void => {
    if (!close()) return;
    const end = then?.end;
    const endIt = end === undefined ? undefined : (job: Job) => endTold(core, job, handle, end);
    // What the agent is not told, since a message has lifted the call, stays for the next look (L7).
    if (answer(core, at, result, endIt) && then?.look !== undefined) terminal?.told(then.look);
    settle(result);
  };
  const timeIsUp = async (): Promise<void> => {
    const look = await terminal?.look();
    if (look !== undefined)
      tell({ output: { handle, ...look.fields, running: true }, failed: false, ...keptOf(look) }, { look });
  };
  const failed = (error: unknown): void => tell(failure('tool_failed', describe(error)));
  run.done.then((end) => tell({ ...end, output: { handle, ...end.output } }, { end }), failed);
  terminal?.started.then(() => {
    if (isOver) return;
    core.schedule.set(`yield:${key}`, core.clock.now() + yieldMs, () => void timeIsUp().catch(failed));
  }, failed);
  const look: Look = {
    over,
    stop: (reason) =>
      tell(
        failure(
          reason === 'host_paused' ? reason : 'cancelled',
          say('It was ended while it waited for output.'),
        ),
      ),
    abandon: () => {
      if (!close()) return;
      forgetLook(core, key);
      settle(failure('cancelled', say('A message has ended the wait.')));
    },
  };
  core.looks.set(key, look);
  return look;
}

const keptOf = (look: TerminalLook) => (look.kept === undefined ? {} : { kept: look.kept });

/** The terminal's end, in the commit whose result tells it: the agent needs no note of it. */
function endTold(core: Core, job: Job, id: HandleId, end: CallResult): void {
  const handle = job.tx.handle(id);
  if (handle !== undefined) finishRun(core, job, handle.turn, handle.call, end, true);
}

/** Records the result of a look; false when its call has been answered already. */
function answer(
  core: Core,
  at: { readonly turn: TurnId; readonly call: CallId },
  result: CallResult,
  then: (job: Job) => void = () => {},
): boolean {
  let isTold = false;
  const key = runKey(at.turn, at.call);
  record(core, ofCall(at.turn, at.call), (job) => {
    isTold = false;
    const turn = job.tx.turn(at.turn);
    const call = job.tx.call(at.turn, at.call);
    if (turn === undefined || call?.status !== 'running') return;
    isTold = true;
    settleCall(core, job, turn, call, result, result.ran !== false);
    then(job);
    proceed(core, job, turn.id);
  });
  forgetLook(core, key);
  return isTold;
}

/** A terminal itself stays under way when the look of the call that opened it is over. */
function forgetLook(core: Core, key: string): void {
  if (core.runs.get(key)?.run.terminal === undefined) core.runs.delete(key);
}

/** The terminal under a handle, for a person who reads it or types into it. */
export function liveTerminal(core: Core, id: HandleId): Terminal {
  const handle = core.ledger.read((tx) => tx.handle(id));
  if (handle === undefined) throw refuse('handle_unknown', { handle: id });
  if (handle.kind !== 'terminal')
    throw new RequestError('invalid_params', say('{handle} is no terminal.', { handle: id }), { handle: id });
  const terminal = core.runs.get(runKey(handle.turn, handle.call))?.run.terminal;
  if (handle.state === 'ended' || terminal === undefined)
    throw new RequestError('handle_ended', say('This terminal has ended.'), { handle: id });
  return terminal;
}
