import { z } from 'zod';
import { ChangeKind } from './change';
import { ApprovalId, At, CallId, HandleId, MessageId, QuestionId, RuleId, SessionId, TurnId } from './ids';
import { Approval, Edited, Rule, Verdict } from './approval';
import { Handle, HandleEnd, WaitsFor } from './handle';
import { Context, Image, Message } from './message';
import { Question, Answer } from './question';
import { Server, ServerId, ServerState } from './server';
import { Session, TurnStatus, Usage } from './session';
import { Ended } from './host';
import { TurnCode } from './errors';
import { Handed, StoppedBy } from './harness';

const call = { call_id: CallId, parent: CallId.optional() };

/**
 * The person has changed the command before allowing it: the call has this title and these arguments from here on.
 * `from` is `to` where they went back to what the agent asked for, after a change that was dropped.
 */
const edited = { edited: Edited.extend({ title: z.string(), args: z.unknown() }).optional() };

/**
 * The data of every event, by type. Past tense: each is a fact that is already on disk, but for those in
 * `TRANSIENT`, which are shown and not kept.
 */
export const EventData = {
  session_created: z.object({ session: Session }),
  session_updated: z.object({ session: Session }),
  session_deleted: z.object({}),
  message_accepted: z.object({ message: MessageId, content: Message }),
  message_edited: z.object({ message: MessageId, text: z.string() }),
  message_removed: z.object({ message: MessageId }),
  messages_reordered: z.object({ order: z.array(MessageId) }),
  /** It was handed to an outside agent at work; without `reads` the agent is gone, and it waits again (T4). */
  message_handed: z.object({ message: MessageId, reads: Handed.optional() }),
  /** `step`: how many model answers the turn had when it read the message. */
  message_read: z.object({
    message: MessageId,
    step: z.number().int(),
    text: z.string(),
    images: z.array(Image).optional(),
    context: z.array(Context).optional(),
  }),
  turn_started: z.object({ turn: TurnId, model: z.string(), cause: z.enum(['message', 'continue', 'wake']) }),
  /**
   * From here on the model is told this file of its folder: its first `bytes`, of a file of `of` bytes where it was cut.
   * With `why` it is not told, for that reason.
   */
  project_read: z.object({
    path: z.string(),
    bytes: z.number().int().nonnegative(),
    of: z.number().int().positive().optional(),
    why: z.string().optional(),
  }),
  turn_waiting: z.object({ call_id: CallId, waits_for: WaitsFor.or(z.literal('handles')) }),
  turn_resumed: z.object({}),
  /** The model is asked again then. `code` says why: `model_overloaded` is a limit of the provider, the others are failures. */
  turn_paced: z.object({ resumeAt: At, code: TurnCode.optional() }),
  turn_paused: z.object({}),
  turn_ended: z.object({
    turn: TurnId,
    status: TurnStatus,
    code: TurnCode.optional(),
    detail: z.string().optional(),
    usage: Usage,
    /** How an outside agent was ended (H4). */
    stoppedBy: StoppedBy.optional(),
  }),
  /** Work that an outside agent had left running ended with its process: it is resumed, once (H3). */
  agent_resumed: z.object({ killed: z.array(z.string()) }),
  /** The same again after its Resume, or where none is possible: told, and not resumed. */
  agent_work_killed: z.object({ killed: z.array(z.string()) }),
  model_retry: z.object({
    attempt: z.number().int(),
    attempts: z.number().int(),
    code: TurnCode,
    detail: z.string(),
    delayMs: z.number(),
  }),
  text_delta: z.object({ step: z.number().int(), text: z.string() }),
  reasoning_delta: z.object({ step: z.number().int(), text: z.string() }),
  /** The text of one model answer; `partial` when the cord or an interrupt cut it. */
  message_completed: z.object({
    step: z.number().int(),
    text: z.string(),
    reasoning: z.string().optional(),
    partial: z.boolean().optional(),
  }),
  usage_recorded: z.object({ step: z.number().int(), model: z.string(), usage: Usage }),
  calls_planned: z.object({
    step: z.number().int(),
    calls: z.array(z.object({ ...call, tool: z.string(), title: z.string(), args: z.unknown() })),
  }),
  approval_requested: Approval.omit({ call: true, turn: true, session: true }).extend(call),
  approval_answered: z.object({
    id: ApprovalId,
    request: z.number().int(),
    ...call,
    decision: Verdict,
    by: z.string(),
    reason: z.string().optional(),
    rule: RuleId.optional(),
    ...edited,
  }),
  /** A request that ended without a verdict: its call was announced again, lapsed, or can no longer run. */
  approval_closed: z.object({
    id: ApprovalId,
    request: z.number().int(),
    ...call,
    fate: z.enum(['lapsed', 'withdrawn']),
  }),
  question_asked: Question.omit({ call: true, turn: true, session: true }).extend(call),
  question_taken: z.object({ id: QuestionId, ...call, owner: z.string() }),
  /** The client that had it has gone: it waits again. */
  question_released: z.object({ id: QuestionId, ...call }),
  question_answered: z.object({ id: QuestionId, ...call, answer: Answer, by: z.string() }),
  question_closed: z.object({ id: QuestionId, ...call, fate: z.enum(['lapsed', 'withdrawn', 'unserved']) }),
  /** `rule`: the rule or mode that lets it run, where nobody was asked. */
  tool_started: z.object({
    ...call,
    ...edited,
    tool: z.string(),
    title: z.string(),
    rule: z.string().optional(),
  }),
  tool_progress: z.object({ ...call, stream: z.enum(['stdout', 'stderr', 'progress']), text: z.string() }),
  tool_completed: z.object({
    ...call,
    tool: z.string(),
    result: z.unknown(),
    images: z.array(Image).optional(),
    failed: z.boolean(),
    /** How long it ran, ms; absent for a call that never started. */
    ranMs: z.number().optional(),
  }),
  /** A tool has changed a file; `change/list` says what the changes of a turn or a session come to. */
  file_changed: z.object({ ...call, path: z.string(), kind: ChangeKind }),
  /** The person has put back what this turn had done to these files. */
  changes_reverted: z.object({ paths: z.array(z.string()), by: z.string() }),
  call_lifted: z.object({
    ...call,
    ...edited,
    handle: HandleId,
    waits_for: WaitsFor.optional(),
    title: z.string(),
    content: Handle,
  }),
  lifted_ended: z.object({
    ...call,
    ...edited,
    handle: HandleId,
    outcome: z.enum(['allowed', 'denied', 'expired', 'answered', 'unserved', 'withdrawn', 'stopped']),
    /** With `allowed`: the cord is pulled, so it starts after release. */
    held: z.boolean().optional(),
    approvals: z
      .array(z.object({ decision: Verdict, by: z.string(), at: At, reason: z.string().optional() }))
      .optional(),
    waits_for: WaitsFor.optional(),
    failed: z.boolean().optional(),
    result: z.unknown().optional(),
  }),
  handle_started: z.object({ handle: HandleId, content: Handle }),
  /** `call_id`: in an imported session, whose handles have no ids, the call that it is of. */
  handle_ended: z.object({
    handle: HandleId,
    call_id: CallId.optional(),
    end: HandleEnd,
    /** How long its work ran, ms, without the time that it waited; absent for what never ran. */
    ran_ms: z.number().nonnegative().optional(),
    exit_code: z.number().int().optional(),
    signal: z.string().optional(),
    survivors: z.array(z.number().int()).optional(),
  }),
  note_told: z.object({ handle: HandleId, text: z.string(), step: z.number().int().optional() }),
  /** A person wants the older part summed up: that is done before the next model request (`session/compact`). */
  compaction_asked: z.object({ by: z.string() }),
  /** The older part of what the model is sent became `summary`; its newest `kept` items stay as they were (T7). */
  compacted: z.object({
    summary: z.string(),
    step: z.number().int(),
    kept: z.number().int().nonnegative().default(0),
  }),
  host_paused: z.object({
    epoch: z.number().int(),
    by: z.string(),
    reason: z.string().optional(),
    ended: z.array(Ended),
    pausedAt: At,
  }),
  host_quiet: z.object({ epoch: z.number().int() }),
  /** `pausedAt`: the lapses of what waits stood still from then on (A5). */
  host_resumed: z.object({ epoch: z.number().int(), by: z.string(), pausedAt: At }),
  /** These turns are no longer kept; the audit of what they did is. */
  turns_pruned: z.object({ turns: z.array(TurnId) }),
  /** `content` is the server as it is now; without it, it is configured no longer. */
  server_changed: z.object({
    server: ServerId,
    state: ServerState.or(z.literal('removed')),
    content: Server.optional(),
  }),
  rule_changed: z.object({ rule: Rule, change: z.enum(['added', 'removed']) }),
  /** The store got into trouble, or is well again (without `trouble`). */
  store_changed: z.object({ trouble: z.string().optional(), readOnly: z.boolean() }),
  /** The files that a person has changed in any window and not saved are these now, absolute. */
  unsaved_changed: z.object({ paths: z.array(z.string()) }),
} as const;

export type EventType = keyof typeof EventData;

/** Shown and not kept: they carry the `seq` of the newest stored event. */
export const TRANSIENT: ReadonlySet<EventType> = new Set<EventType>([
  'text_delta',
  'reasoning_delta',
  'tool_progress',
  'store_changed',
  'unsaved_changed',
]);

/** One event: a fact with its place in the store's order. */
export type BelayEvent = {
  [T in EventType]: {
    readonly seq: number;
    readonly at: number;
    readonly session?: SessionId;
    readonly turn?: TurnId;
    readonly type: T;
    readonly data: z.infer<(typeof EventData)[T]>;
  };
}[EventType];

export type EventOf<T extends EventType> = Extract<BelayEvent, { type: T }>;
export type DataOf<T extends EventType> = z.infer<(typeof EventData)[T]>;

/** The envelope of an event, for documents and for readers that check what they get. */
export const Envelope = z.object({
  seq: z.number().int().nonnegative(),
  at: At,
  session: SessionId.optional(),
  turn: TurnId.optional(),
  type: z.enum(Object.keys(EventData)),
  data: z.unknown(),
});
