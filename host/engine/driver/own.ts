/** Calls that the engine answers by itself, inside the commit in which their turn comes: the agent's own records. */
import { z } from 'zod';
import { HandleId, NOTE_BYTES, TurnId, WAIT_HANDLES, WAIT_MOST_MS, say } from '../../../protocol';
import { collected } from '../handles/collected';
import type { CallResult } from '../ports';
import type { CallRecord, HandleRecord, TurnRecord } from '../records';
import { failure, isPrepared, markStarted, refusedNow, settleCall } from './calls';
import type { Core, Job } from './core';
import { decideStop } from './lifts';
import { clientOf, putQuestion } from './questions';
import { WriteArgs } from './terminals';

export const NoteArgs = z.object({ text: z.string() });
const WaitArgs = z.object({
  handles: z.array(z.string()).min(1).max(WAIT_HANDLES),
  timeout_ms: z.number().int().min(0).max(WAIT_MOST_MS).optional(),
  any: z.boolean().optional(),
});
const HistoryArgs = z.object({
  turn: z.union([z.string(), z.number().int()]),
  offset: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
});

/** Answers an own call, or lets it wait (`wait`, and what a client answers). */
export function answerOwn(core: Core, job: Job, turn: TurnRecord, call: CallRecord): void {
  if (!isPrepared(call.prepared)) return;
  if (clientOf(call.prepared) !== undefined) {
    askClient(core, job, turn, call);
    return;
  }
  const args = call.prepared.args;
  switch (call.tool) {
    case 'wait':
      wait(core, job, turn, call, args);
      return;
    case 'write_stdin':
      stopOwn(core, job, turn, call, args);
      return;
    case 'note':
      immediately(core, job, turn, call, note(job, turn, args));
      return;
    case 'history':
      immediately(core, job, turn, call, history(job, turn, args));
      return;
    default:
      immediately(
        core,
        job,
        turn,
        call,
        failure('tool_unknown', say('There is no tool named {tool}.', { tool: call.tool })),
      );
  }
}

/** The audit entry, the start and the result of a call that takes no time. */
function immediately(core: Core, job: Job, turn: TurnRecord, call: CallRecord, result: CallResult): void {
  openOwn(job, turn, call);
  markStarted(job, turn, call);
  settleCall(core, job, turn, call, result, true);
}

const openOwn = (job: Job, turn: TurnRecord, call: CallRecord): void =>
  job.tx.openAudit({
    session: turn.session,
    turn: turn.id,
    call: call.call,
    tool: call.tool,
    title: call.title,
    why: say('It only touches the agent’s own records.'),
    rule: 'own',
    decision: 'allow',
    by: say('own'),
  });

function note(job: Job, turn: TurnRecord, raw: unknown): CallResult {
  const args = NoteArgs.safeParse(raw);
  if (!args.success) return failure('tool_arguments_invalid', 'note takes {text}.');
  if (Buffer.byteLength(args.data.text) > NOTE_BYTES)
    return failure('output_limit', `A note holds at most ${String(NOTE_BYTES)} bytes.`);
  job.tx.changeSession(turn.session, { note: args.data.text });
  return { output: { saved: true }, failed: false };
}

/** Bytes of one page of `history`. */
const HISTORY_PAGE = 32 * 1024;

function history(job: Job, turn: TurnRecord, raw: unknown): CallResult {
  const args = HistoryArgs.safeParse(raw);
  if (!args.success) return failure('tool_arguments_invalid', 'history takes {turn, offset?, limit?}.');
  const id = TurnId.safeParse(String(args.data.turn));
  const past = id.success ? job.tx.turnAsTold(turn.session, id.data) : undefined;
  if (!id.success || past === undefined)
    return failure('tool_failed', say('There is no such turn in this session.'));
  const text = job.tx.turnText(past.id);
  const offset = args.data.offset ?? 0;
  const page = text.slice(offset, offset + Math.min(args.data.limit ?? HISTORY_PAGE, HISTORY_PAGE));
  const next = offset + page.length;
  return {
    output: {
      turn: id.data,
      status: past.status,
      text: page,
      ...(next < text.length ? { next_offset: next } : { done: true }),
    },
    failed: false,
  };
}

/** A call that a client answers is put to it when its turn comes: it may depend on the calls before it. */
function askClient(core: Core, job: Job, turn: TurnRecord, call: CallRecord): void {
  const refused = refusedNow(core, job, turn, call);
  if (refused !== undefined) {
    settleCall(core, job, turn, call, refused, false);
    return;
  }
  if (isPrepared(call.prepared) && call.prepared.class === 'own') openOwn(job, turn, call);
  putQuestion(core, job, turn, call, undefined);
}

function wait(core: Core, job: Job, turn: TurnRecord, call: CallRecord, raw: unknown): void {
  const args = WaitArgs.safeParse(raw);
  openOwn(job, turn, call);
  markStartedQuietly(job, turn, call);
  if (!args.success) {
    settleCall(
      core,
      job,
      turn,
      call,
      failure('tool_arguments_invalid', 'wait takes {handles, timeout_ms?, any?}.'),
      false,
    );
    return;
  }
  const handles = args.data.handles.flatMap((id) => {
    const handle = ownHandle(job, turn, id);
    return handle === undefined || handle.state === 'ended' ? [] : [handle.id];
  });
  const deadline = job.tx.now + (args.data.timeout_ms ?? WAIT_MOST_MS);
  job.tx.changeCall(turn.id, call.call, { status: 'asking', asks: 'handles', deadline });
  job.tx.setWait(turn.id, call.call, handles);
  settleWait(
    core,
    job,
    turn,
    { ...call, status: 'asking', asks: 'handles', deadline },
    args.data.timeout_ms === 0 ? 'deadline' : 'ended',
  );
  if (job.tx.call(turn.id, call.call)?.status === 'asking')
    job.effects.push({ kind: 'wait_deadline', turn: turn.id, call: call.call, at: deadline });
}

/** A wait has begun, but holds nothing: it may be parked. */
const markStartedQuietly = (job: Job, turn: TurnRecord, call: CallRecord): void =>
  job.tx.audit(turn.id, call.call, { startedAt: job.tx.now });

/** A handle of this session; others do not exist for it. */
function ownHandle(job: Job, turn: TurnRecord, id: string): HandleRecord | undefined {
  const parsed = HandleId.safeParse(id);
  const handle = parsed.success ? job.tx.handle(parsed.data) : undefined;
  return handle?.session === turn.session ? handle : undefined;
}

/** Ends a `wait` if what it waits for has come, its time is over, or a message must be read (L1). */
export function settleWait(
  core: Core,
  job: Job,
  turn: TurnRecord,
  call: CallRecord,
  because: 'ended' | 'deadline' | 'steered',
): void {
  if (!isPrepared(call.prepared)) return;
  const args = WaitArgs.safeParse(call.prepared.args);
  if (!args.success) return;
  const unknown: string[] = [];
  const pending: string[] = [];
  const ended: HandleRecord[] = [];
  for (const id of new Set(args.data.handles)) {
    const handle = ownHandle(job, turn, id);
    if (handle === undefined) unknown.push(id);
    else if (handle.state === 'ended') ended.push(handle);
    else pending.push(id);
  }
  const resolved = pending.length === 0 || (args.data.any === true && unknown.length + ended.length > 0);
  if (because === 'ended' && !resolved) return;
  const { results, images } = collected(ended);
  job.tx.clearWait(turn.id, call.call);
  job.effects.push({ kind: 'unschedule', key: `wait:${turn.id}/${call.call}` });
  settleCall(
    core,
    job,
    turn,
    call,
    {
      output: {
        results: Object.fromEntries([...unknown.map(noHandle), ...results]),
        pending,
        ...(because === 'steered' ? { steered: true } : {}),
      },
      failed: false,
      ...(images.length === 0 ? {} : { images }),
    },
    true,
  );
}

const noHandle = (id: string) =>
  [id, { error: 'handle_unknown', detail: `There is no handle ${id} in this session.` }] as const;

/** `write_stdin {handle, kill}`; what types and reads is a look at a terminal. */
function stopOwn(core: Core, job: Job, turn: TurnRecord, call: CallRecord, raw: unknown): void {
  const args = WriteArgs.safeParse(raw);
  const handle = args.success ? ownHandle(job, turn, args.data.handle) : undefined;
  if (!args.success || handle === undefined) {
    immediately(
      core,
      job,
      turn,
      call,
      args.success
        ? failure(
            'handle_unknown',
            say('There is no handle {handle} in this session.', { handle: args.data.handle }),
          )
        : failure('tool_arguments_invalid', 'write_stdin takes {handle, kill}.'),
    );
    return;
  }
  const decision = decideStop(core, job, handle);
  if (decision.kind === 'recorded') {
    immediately(core, job, turn, call, {
      output: {
        handle: handle.id,
        stopped: decision.stopped,
        ran: decision.ran,
        ...(handle.end === undefined ? {} : { ended: handle.end }),
      },
      failed: false,
    });
    return;
  }
  openOwn(job, turn, call);
  markStarted(job, turn, call);
  job.effects.push({ kind: 'stop_handle', handle: handle.id, reply: { turn: turn.id, call: call.call } });
}
