/**
 * What the engine needs from outside, with the contracts that every adapter keeps. The engine does no
 * I/O of its own; each of these is handed to it by `compose.ts`.
 *
 * Every effect on the outside (a process, a request, a file write) starts inside `launch`, synchronously,
 * in the same tick as `launch` checks the cord (P2).
 */
import type {
  Answer,
  CallId,
  ContextItem,
  Ended,
  HandleId,
  Image,
  ModelList,
  PlannedCall,
  Preview,
  QuestionId,
  SessionId,
  ToolOrigin,
  ToolSpec,
  TurnCode,
  TurnId,
  Usage,
} from '../../protocol';
import type { Launch } from '../base/launch';
import type { ReadGate } from './approvals/readGate';
import type { Editable, Subject } from './approvals/reading';
import type { Terminal } from './terminalPort';

/** Why a run is asked to end. */
export type StopReason = 'cancelled' | 'host_paused' | 'host_stopped' | 'stopped' | 'superseded';

// ---------------------------------------------------------------- models

export interface ModelCall {
  /** `provider/model-id`. */
  readonly model: string;
  readonly system: string;
  readonly items: readonly ContextItem[];
  readonly tools: readonly ToolSpec[];
  /** The session's id, for providers that route by it (prompt caches). */
  readonly session: SessionId;
}

export type ModelPiece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'reasoning'; readonly text: string };

export interface ModelAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly PlannedCall[];
  readonly usage: Usage;
  readonly stop: 'end' | 'calls' | 'length' | 'refusal';
  readonly native?: { readonly family: string; readonly model: string; readonly blocks: unknown };
}

/** One failed attempt: whether another can help (T6), what `retry-after` asked for, and how many attempts are enough. */
export class ModelFailure extends Error {
  constructor(
    readonly code: TurnCode,
    message: string,
    readonly retry: boolean,
    readonly retryAfterMs?: number,
    readonly attemptsMost?: number,
  ) {
    super(message);
  }
}

export interface ModelPort {
  /** Models that can be chosen now; `look` asks the providers for their lists. A failure is a note, no rejection. */
  list(look?: Launch): Promise<ModelList>;
  /** Tokens that the model's window holds, when known. */
  contextWindow(model: string): number | undefined;
  /**
   * Makes ONE attempt: no retries inside. Each HTTP request leaves inside `launch`. `onPiece` is called in
   * order while it streams. Rejects with `ModelFailure`, with `CordPulled` when `launch` refused, or with
   * the signal's reason once `signal` aborted. A stream that ends before its end marker is a failure
   * (`model_unreachable`, retry); no content for `stallMs` is `model_stalled` (retry).
   */
  answer(
    call: ModelCall,
    launch: Launch,
    signal: AbortSignal,
    onPiece: (piece: ModelPiece) => void,
  ): Promise<ModelAnswer>;
}

// ---------------------------------------------------------------- tools

/** How a call is judged (A1). */
export type CallClass =
  /** Reads inside the workspace: free, and adjacent ones run side by side (T2). */
  | 'read'
  /** Reads outside the workspace: asks in the modes `ask` and `edits`. */
  | 'read_outside'
  /** Writes a file inside the workspace: free in the modes `edits` and `full`. */
  | 'edit'
  /** Writes outside the workspace. */
  | 'edit_outside'
  /** Writes a file that decides over the agent or is run by editor or git (A12): asks in every mode. */
  | 'edit_protected'
  /** Runs a command, a terminal or an MCP tool. */
  | 'command'
  /** Touches only the agent's own records, asks the person, or is judged step by step (`exec`): always free. */
  | 'own';

/** A call whose arguments are sound, ready to be judged, shown and run. Plain data. */
export interface Prepared extends Editable {
  readonly tool: string;
  /** Whose tool it is; undefined for one of Belay's own. */
  readonly origin?: ToolOrigin | undefined;
  readonly class: CallClass;
  /** One line: `npm test`, `Edit src/a.ts`, `Read src/a.ts`. */
  readonly title: string;
  /** Parsed arguments, as they are stored, shown and run. */
  readonly args: unknown;
  /** What a person is shown; of a change also the print of it all, where the preview is cut. */
  readonly preview: Preview;
  readonly print?: string | undefined;
  /** What a rule may name of it. */
  readonly subject: Subject;
  /** Present when what an edit says tells of what was in the file: it is judged as a read, too. */
  readonly tells?: true | undefined;
  /** True for a call that may be lifted while it runs (L1): a command, a script, an MCP call. */
  readonly liftable: boolean;
  /** The server that it goes to, for the places of nested calls (S5). */
  readonly server?: string | undefined;
  /** Present when its work goes on under a handle after its result: the result is a first look at it (X3). */
  readonly opens?: 'terminal' | undefined;
  /** Present for a client tool: it is not run, its answer comes from a client (C1). */
  readonly client?: ClientAnswered | undefined;
}

/** How the answer of a client tool comes about. */
export interface ClientAnswered {
  /** A person answers: it waits however long that takes. Else a client does, which has `timeoutMs` for it. */
  readonly person: boolean;
  /** It is handed to the client that owns the tool; else the person answers it from any list or card. */
  readonly delivered: boolean;
  readonly timeoutMs?: number | undefined;
  /** Its value is kept by the client and is no part of the answer. */
  readonly secret?: true | undefined;
}

/** A call that cannot run as written; the model reads it as its result. */
export interface Unsound {
  readonly error: 'tool_unknown' | 'tool_arguments_invalid';
  readonly detail: string;
}

/** Where a call works. Taken from its turn, never from the session of now (L7). */
export interface Workplace {
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  /** Absolute path of the turn's folder. */
  readonly folder: string;
  /** All workspace folders: a path inside any of them is inside the workspace. */
  readonly roots: readonly string[];
  /** Paths that no tool may name: the store and its lease. `started`: files of servers, whose edits ask (A12). */
  readonly hidden: readonly string[];
  readonly started?: readonly string[];
  /**
   * What a call for `target` leaves out of what it finds there, by the rules of now; without a target, what is not free
   * to be read. `roots` are the workspace's folders without links. Absent where nothing runs.
   */
  readonly gate?: (roots: readonly string[], target?: string) => ReadGate;
}

/** A file that a call has changed. */
export interface ToolChange {
  /** Absolute, without links. */
  readonly path: string;
  /** Undefined when there was no file, or where `isUnknown`. */
  readonly before: Uint8Array | undefined;
  /** Nobody knows what it was before. */
  readonly isUnknown?: true;
  /** Undefined when there is no file any more, or where `unkept`. */
  readonly after: Uint8Array | undefined;
  /** Hash of what the file holds (sha256, hexadecimal), where that itself is not kept. */
  readonly unkept?: string;
}

/** What a call ends with. `output` is a JSON object; a failed one has `error` (a result code) and `detail`. */
export interface CallResult {
  readonly output: Readonly<Record<string, unknown>>;
  readonly images?: readonly Image[];
  /** As the tool reports it: an error, or a command that did not succeed (A4). */
  readonly failed: boolean;
  /** Texts of which `output` shows only head and tail: kept whole beside the database, and paged by `read` (T7). */
  readonly kept?: readonly { readonly name: string; readonly text: string }[];
  /** Files that it has changed, with both contents, for a person who looks back; none of it is told. */
  readonly changes?: readonly ToolChange[];
  /** Present when nothing of it has happened: it was refused, or stopped while it waited for its place. */
  readonly ran?: false;
  /** Values of the session that are written together with this result (S2); JSON, or undefined to drop the key. */
  readonly stores?: readonly { readonly key: string; readonly json: string | undefined }[];
  /** How a process ended (X7), for its handle. */
  readonly end?: {
    readonly end:
      'exited' | 'signalled' | 'timed_out' | 'stopped' | 'host_paused' | 'lost' | 'completed' | 'failed';
    readonly exitCode?: number;
    readonly signal?: string;
  };
}

export interface StopReport {
  /** Only true once the whole tree has been seen gone (X5). */
  readonly stopped: boolean;
  readonly survivors: readonly number[];
  /** The signal after which the tree was gone. */
  readonly signal?: string;
}

/** What a running call may call itself: each of its steps is judged, asked for and run as a call of its own (A8). */
export interface Steps {
  /** The tools that a step may call. */
  tools(): readonly ToolSpec[];
  /**
   * Resolves with the step's result; never rejects. `args` is JSON text. `began` is called when it leaves: until
   * then it waits for a person or a place, which is not its caller's time (S5). Steps run under the `launch` of
   * the call that makes them, and never under another epoch.
   */
  call(tool: string, args: string, began?: () => void): Promise<CallResult>;
  /**
   * Puts a question to the person as a step of its own, answered, lapsed or withdrawn like any other. Resolves
   * with `{answer}`, or with `error`; never rejects. An abort of `signal` withdraws it.
   */
  ask(title: string, args: unknown, signal: AbortSignal): Promise<CallResult>;
  /**
   * From here on no step leaves (S2): those that wait end as refused at once, those that run are told to stop.
   * Resolves once all of them have their result.
   */
  halt(reason: StopReason): Promise<void>;
}

/** Work under way. It has started: an effect may have happened. */
export interface Run {
  /** Settles once, never rejects: a tool's failure is a result. */
  readonly done: Promise<CallResult>;
  /** Ends it. `done` then settles with the output so far and `error: reason`. Harmless when called again. */
  stop(reason: StopReason): Promise<StopReport>;
  /** A lift or `background:true`: the default time limit ends; an explicit one stays (X1). */
  detach(): void;
  /** Present when it is a program on a terminal. */
  readonly terminal?: Terminal;
  /** Output so far, for a handle's readers: stdout and stderr as they came, with the number of omitted bytes. */
  read(
    offset: number,
    limit: number,
  ): { readonly text: string; readonly offset: number; readonly total: number };
}

export interface ToolPort {
  specs(): readonly ToolSpec[];
  /** Whose tool has this name now; undefined when nobody's has. */
  originOf(tool: string): ToolOrigin | 'own' | undefined;
  /**
   * Before the tools are told to a model: starts what must be there to know them, inside `launch`, and waits a
   * bounded time. Undefined when there is nothing to wait for. Never rejects; `signal` ends the wait.
   */
  ready?(launch: Launch, signal: AbortSignal): Promise<void> | undefined;
  /** What is being started or ended for these tools beside their calls: a pause tells of it and waits for `gone` (P1). */
  underWay?(): readonly Ended[];
  gone?(): Promise<void>;
  /**
   * Checks arguments and looks at the disk (reads only; needs no cord). Never throws: what is wrong becomes
   * `Unsound`. `args` is the model's text.
   */
  prepare(tool: string, args: string, place: Workplace): Promise<Prepared | Unsound>;
  /**
   * Starts a prepared call. What it does to the outside starts inside `launch`; if `launch` refuses, `done` settles
   * with `error: 'host_paused'`. Looks again at all that may have changed since `prepare` (links, the file's text).
   */
  run(
    prepared: Prepared,
    place: Workplace,
    launch: Launch,
    onOutput: (stream: 'stdout' | 'stderr' | 'progress', text: string) => void,
    steps: Steps,
  ): Run;
  /** Both sides of an edit as it would be now; undefined when it is no edit or can no longer be made. */
  sides(
    prepared: Prepared,
    place: Workplace,
  ): Promise<
    | { readonly path: string; readonly before: string; readonly after: string; readonly created: boolean }
    | undefined
  >;
}

// ---------------------------------------------------------------- client tools

/** A client tool's call as its client gets it. */
export interface ClientToolRequest {
  readonly question: QuestionId;
  readonly session: SessionId;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly tool: string;
  readonly args: unknown;
  /** Absolute path of the turn's folder. */
  readonly folder: string;
  /** Counts the deliveries of this call, from 1: a client that vanished may have had it before. */
  readonly attempt: number;
  /** The cord's epoch under which it was decided (P2). */
  readonly epoch: number;
}

/** How a delivery ended. */
export type ClientToolOutcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  /** The client has gone, or no longer has the tool: no denial; another owner may serve it (C2). */
  | { readonly kind: 'gone' }
  /** It left it alone because the cord is pulled there. */
  | { readonly kind: 'paused' };

/** Who fulfils client tools now. Looked up at each delivery, never kept (C2). */
export interface ClientToolPort {
  /** What is offered now. */
  specs(): readonly ToolSpec[];
  /** The client that serves a tool now; undefined when there is none. */
  ownerOf(tool: string): string | undefined;
  /** Since when a tool has had no owner, ms: since its last one was seen to go, or since this host started. */
  goneSince(tool: string): number;
  /**
   * Hands a call to a client. It leaves inside `launch`. Settles once and never rejects; an abort of `signal`
   * is told to the client, and what it says afterwards is dropped.
   */
  run(
    owner: string,
    request: ClientToolRequest,
    launch: Launch,
    signal: AbortSignal,
  ): Promise<ClientToolOutcome>;
  /** Calls back whenever the owner of a tool may have changed. */
  onChange(listener: () => void): void;
}

// ---------------------------------------------------------------- client tools of outside agents

/**
 * What becomes of an outside agent's call that waits for a person (C5). Each harness adapter declares one; no
 * other code asks which harness it is.
 * - `hold`: the call stays open, with progress, until its answer, or until the harness's own limit less 10 s.
 * - `acknowledge`: it is answered at once with a neutral text, and its answer is told later.
 * - `defer`: the harness suspends the call and runs it again itself.
 * - `native`: the harness parks the call by itself; nothing is written.
 */
export type WaitPolicy = 'hold' | 'acknowledge' | 'defer' | 'native';

/** The client tools of one turn of an outside agent, handed to its adapter and to the channels. */
export interface AgentTools {
  readonly turn: TurnId;
  readonly specs: readonly ToolSpec[];
  /** Makes a call of the turn. Settles once and never rejects. `args` is the value, not its text. */
  call(name: string, args: unknown, from: AgentCaller): Promise<AgentReply>;
}

export interface AgentCaller {
  /** The model's own id of the call, where the harness hands it over; else calls are told apart by order (C7). */
  readonly callId?: string;
  /** Aborts when the agent's side no longer waits: the request stays answerable, its call is no longer held. */
  readonly signal: AbortSignal;
  /** The channel's own limit of a call, ms; none when undefined. */
  readonly limitMs?: number;
  /** Called now and then while the call is held. */
  readonly onProgress?: (text: string) => void;
}

/** What goes back to the agent. Exactly one for each call. */
export type AgentReply =
  /** The result, byte-exact. A lifted call's result is its handle (L3). */
  | { readonly kind: 'answered'; readonly result: CallResult }
  /** A neutral text that is no error (C5); the request goes on as `handle`. */
  | { readonly kind: 'acknowledged'; readonly text: string; readonly handle: HandleId }
  /** `defer` and `native`: the harness parks the call; no answer is written. */
  | { readonly kind: 'parked' }
  /** The turn was ended or paused: nothing may be written any more (C8). */
  | { readonly kind: 'dropped' };

/** Where an agent runs, and by which ways its adapter can take tools there. */
export interface ToolReach {
  readonly place: 'local' | 'sharedFolder' | 'elsewhere';
  readonly ways: readonly ('native' | 'mcpHttp' | 'mcpStdio')[];
}
