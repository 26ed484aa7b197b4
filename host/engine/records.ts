/** Rows as the engine knows them. The store maps them to tables; nothing here does I/O. */
import type {
  Agent,
  Answer,
  ApprovalId,
  CallId,
  Context,
  Delivery,
  Edited,
  HandleEnd,
  Handed,
  HandleId,
  Image,
  MessageId,
  Mode,
  Offer,
  QuestionId,
  Rule,
  SessionId,
  TurnCode,
  TurnId,
  TurnStatus,
  Usage,
  Verdict,
  WaitsFor,
} from '../../protocol';
import type { CommandPart } from './approvals/reading';
import type { CallResult, Prepared, Unsound } from './ports';
import type { ProjectInstructions } from './projectPort';

export interface SessionRecord {
  readonly id: SessionId;
  readonly title: string;
  readonly folder: string;
  readonly agent: Agent;
  readonly mode: Mode;
  readonly instructions: string;
  readonly archived: boolean;
  /** The unfinished turn. */
  readonly turn: TurnId | undefined;
  /** The agent's own note, pinned ahead of the conversation. */
  readonly note: string;
  readonly usage: Usage;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface MessageRecord {
  readonly id: MessageId;
  readonly session: SessionId;
  readonly text: string;
  readonly images: readonly Image[];
  readonly context: readonly Context[];
  readonly delivery: Delivery;
  readonly state: 'accepted' | 'read' | 'removed';
  /** It is in the hands of an outside agent that has not read it yet. */
  readonly handed: Handed | undefined;
  readonly clientId: string | undefined;
  readonly turn: TurnId | undefined;
  readonly step: number | undefined;
  readonly at: number;
}

/** What an unfinished turn is about: a model's answer, the calls of that answer, an outside agent's run, or its own end. */
export type Phase = 'model' | 'calls' | 'agent' | 'ending';

export interface TurnRecord {
  readonly id: TurnId;
  readonly session: SessionId;
  readonly status: TurnStatus;
  readonly phase: Phase;
  readonly code: TurnCode | undefined;
  readonly detail: string | undefined;
  readonly cause: 'message' | 'continue' | 'wake';
  /** What its calls run with, also after the session has changed (L7). */
  readonly model: string;
  readonly mode: Mode;
  readonly folder: string;
  /** Model answers that it has had (T6). */
  readonly rounds: number;
  /** Set from the moment that a steer's grace is over until the steer is read: what must wait is lifted at once (L5). */
  readonly lifting: boolean;
  readonly usage: Usage;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

/** `planned`: free to start. `asking`: waits for a verdict, an answer or handles. `allowed`: may start. */
export type CallStatus = 'planned' | 'asking' | 'allowed' | 'running' | 'done';

export interface CallRecord {
  readonly turn: TurnId;
  readonly call: CallId;
  readonly session: SessionId;
  /** The call that this step was made from (A8). */
  readonly parent: CallId | undefined;
  readonly step: number;
  /** Its place in the answer, from 0. */
  readonly place: number;
  readonly tool: string;
  readonly title: string;
  readonly status: CallStatus;
  readonly asks: WaitsFor | 'handles' | undefined;
  readonly prepared: Prepared | Unsound;
  readonly failed: boolean;
  readonly handle: HandleId | undefined;
  readonly startedAt: number | undefined;
  readonly deadline: number | undefined;
}

export interface ApprovalRecord {
  readonly id: ApprovalId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly parent: CallId | undefined;
  readonly request: number;
  readonly handle: HandleId | undefined;
  readonly state: 'open' | 'allowed' | 'denied' | 'lapsed' | 'withdrawn';
  readonly prepared: Prepared;
  readonly folder: string;
  readonly why: string;
  readonly offers: readonly Offer[];
  readonly askedAt: number;
  /** When it was announced again, the last time (A4). */
  readonly askedAgainAt: number | undefined;
  readonly lapsesAt: number | undefined;
  readonly by: string | undefined;
  readonly reason: string | undefined;
  readonly answeredAt: number | undefined;
}

export interface QuestionRecord {
  readonly id: QuestionId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly parent: CallId | undefined;
  readonly handle: HandleId | undefined;
  readonly state: 'open' | 'answered' | 'lapsed' | 'withdrawn' | 'unserved';
  /** False for one that a client answers without a person. */
  readonly person: boolean;
  readonly tool: string;
  readonly title: string;
  readonly args: unknown;
  readonly askedAt: number;
  readonly lapsesAt: number | undefined;
  readonly owner: string | undefined;
  readonly answer: Answer | undefined;
  readonly by: string | undefined;
  readonly answeredAt: number | undefined;
}

export interface HandleRecord {
  readonly id: HandleId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly kind: 'command' | 'terminal' | 'script' | 'call' | 'question';
  readonly title: string;
  readonly folder: string;
  readonly lifted: boolean;
  readonly state: 'waiting' | 'held' | 'running' | 'ended';
  readonly waitsFor: WaitsFor | undefined;
  readonly startedAt: number;
  /** Since when its work runs: without the time that it waited for a person or the cord (X1). */
  readonly runningAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly end: HandleEnd | undefined;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Whether its work has ever started. */
  readonly ran: boolean;
  readonly result: CallResult | undefined;
}

/** One change of a file by a call; contents by their hash. */
export interface ChangeRecord {
  readonly id: number;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly path: string;
  /** Undefined when there was no file, or where `isUnknown`. */
  readonly before: string | undefined;
  /** Nobody knows what it was before. */
  readonly isUnknown: boolean;
  /** Undefined when there was no file afterwards. */
  readonly after: string | undefined;
  readonly at: number;
}

/** The end of a handle that its agent has not been told of yet (L10). */
export interface Report {
  readonly handle: HandleId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly text: string;
}

export interface AuditNote {
  readonly title?: string;
  readonly edited?: Edited | undefined;
  readonly why?: string;
  readonly rule?: string;
  readonly decision?: Verdict;
  readonly by?: string;
  readonly decidedAt?: number;
  readonly startedAt?: number;
  readonly handle?: HandleId;
}

export interface CordRecord {
  readonly pulled: boolean;
  readonly epoch: number;
  readonly by: string;
  readonly at: number;
  readonly ended: readonly { readonly kind: string; readonly id: string; readonly title: string }[];
  /** Whether the pull has been published: its event follows the ends that it caused. */
  readonly told: boolean;
}

/** What a session's model is told of its folder's own instructions, and the turn that has read them. */
export interface ProjectRecord extends ProjectInstructions {
  readonly turn: TurnId;
}

/** What is kept of a session's outside agent, so that a host that starts can go on with it (H2, H3, H6). */
export interface HarnessRecord {
  /** Which agent this is of: another one begins anew. */
  readonly harness: string;
  readonly folder: string;
  /** The agent's own id of the conversation. */
  readonly conversation: string | undefined;
  /** A turn of that conversation has existed: only then can it be resumed (H6). */
  readonly resumable: boolean;
  /** What the conversation has used so far, for agents that tell sums. */
  readonly used: Usage;
  /** The newest turn whose messages the agent has had. */
  readonly prompted: TurnId | undefined;
  /** The turn whose one Resume has been spent (H3). */
  readonly resumed: TurnId | undefined;
  /** Killed work that no run has made good since: a later failure names it. */
  readonly killed: readonly string[];
  /** Messages that a turn has read and that have not reached the agent yet. */
  readonly messages: readonly MessageId[];
  /** What else it must be told: ends of handles, and verdicts on requests whose process is gone (C8). */
  readonly notes: readonly string[];
  /** Names of the client tools that the conversation was begun with; undefined where that was not kept. */
  readonly tools?: readonly string[] | undefined;
}

/** With the parts of the command that it names, as they were read when it was given: none of it is shown (A10). */
export interface RuleRecord extends Rule {
  readonly parts?: readonly CommandPart[] | undefined;
}

/** What a provider listed last, at this address. Windows and limits in tokens. */
export interface ModelListRecord {
  readonly address: string;
  readonly models: readonly {
    readonly id: string;
    readonly name?: string | undefined;
    readonly contextWindow?: number | undefined;
    readonly maxOutput?: number | undefined;
  }[];
  /** Models beyond those that are taken. */
  readonly left: number;
}

/** What a person has allowed of an MCP server's configuration, and the tools that it last had, with theirs. */
export interface ServerRecord {
  readonly consent?: { readonly hash: string; readonly by: string; readonly at: number } | undefined;
  readonly tools?: { readonly hash: string; readonly list: readonly unknown[] } | undefined;
}
