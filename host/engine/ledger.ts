/**
 * The memory as the engine needs it. Every decision and its record are made in one synchronous `commit`
 * job (R2); the job is a pure function of the rows, so that it can be run again when the disk refused it.
 */
import type {
  Answer,
  ApprovalId,
  BelayEvent,
  CallId,
  DataOf,
  EventType,
  HandleEnd,
  Handed,
  HandleId,
  MessageId,
  Mode,
  PlannedCall,
  QuestionId,
  RuleId,
  SessionId,
  ToldEvent,
  TurnCode,
  TurnId,
  TurnStatus,
  Usage,
  Verdict,
  WaitsFor,
} from '../../protocol';
import type { CallResult, Prepared, Unsound } from './ports';
import type {
  ApprovalRecord,
  AuditNote,
  CallRecord,
  ChangeRecord,
  CordRecord,
  HandleRecord,
  HarnessRecord,
  MessageRecord,
  Phase,
  ProjectRecord,
  QuestionRecord,
  Report,
  RuleRecord,
  ModelListRecord,
  ServerRecord,
  SessionRecord,
  TurnRecord,
} from './records';

export interface Where {
  readonly session?: SessionId;
  readonly turn?: TurnId;
}

/** What is stored with an event and never published: what a model needs of its own answer. */
export interface Hidden {
  readonly calls?: readonly PlannedCall[];
  readonly native?: { readonly family: string; readonly model: string; readonly blocks: unknown };
  /** The partial answer of a request that is made again: shown, never sent to a model. */
  readonly skip?: boolean;
}

export interface StoredEvent {
  readonly event: BelayEvent;
  readonly hidden: Hidden | undefined;
}

/** Changes of a row; a key that is absent stays, one that is `undefined` is cleared. */
export type Change<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface Tx {
  /** The time of this job, ms; the same for all of it. */
  readonly now: number;
  /** All that a turn has told: for jobs that are seldom. */
  turnEvents(turn: TurnId): readonly StoredEvent[];
  emit<T extends EventType>(type: T, data: DataOf<T>, where?: Where, hidden?: Hidden): void;

  session(id: SessionId): SessionRecord | undefined;
  /** With `begun`, under that id: from now on it is listed. */
  insertSession(
    session: Omit<SessionRecord, 'id' | 'turn' | 'note' | 'usage' | 'archived'>,
    begun?: SessionId,
  ): SessionRecord;
  /** An id for a session that is written in pieces: it is in no list before `insertSession` names it. */
  beginSession(): SessionId;
  /** Sessions that are in no list, and of which rows may be left. */
  unlisted(): readonly SessionId[];
  /** Removes at most about `rows` rows of such a session; true when nothing is left of it but the audit. */
  removePiece(id: SessionId, rows: number): boolean;
  changeSession(id: SessionId, change: Change<Omit<SessionRecord, 'id'>>): void;
  /** It is in no list any more; `removePiece` removes what is left of it. */
  unlistSession(id: SessionId): void;
  /** Idle sessions that have an unread message, or the untold end of a handle. */
  idleWithWork(): readonly SessionId[];

  message(id: MessageId): MessageRecord | undefined;
  messageByClientId(session: SessionId, clientId: string): MessageRecord | undefined;
  insertMessage(message: Omit<MessageRecord, 'id' | 'state' | 'turn' | 'step' | 'handed'>): MessageRecord;
  changeMessage(
    id: MessageId,
    change: Change<{
      text: string;
      state: MessageRecord['state'];
      turn: TurnId;
      step: number;
      handed: Handed;
    }>,
  ): void;
  /** In reading order. */
  unread(session: SessionId): readonly MessageRecord[];
  /** Unread messages that are in the hands of an outside agent; of all sessions by default. */
  handedOver(session?: SessionId): readonly MessageRecord[];
  hasUnreadSteer(session: SessionId): boolean;
  reorder(session: SessionId, order: readonly MessageId[]): void;

  turn(id: TurnId): TurnRecord | undefined;
  /** What an id in the past of a session stands for: a turn of it, or in a fork the copy of the one that had the id. */
  turnAsTold(session: SessionId, id: TurnId): TurnRecord | undefined;
  insertTurn(turn: Pick<TurnRecord, 'session' | 'cause' | 'model' | 'mode' | 'folder'>): TurnRecord;
  changeTurn(
    id: TurnId,
    change: Change<{
      status: TurnStatus;
      phase: Phase;
      mode: Mode;
      code: TurnCode;
      detail: string;
      rounds: number;
      lifting: boolean;
      usage: Usage;
      endedAt: number;
    }>,
  ): void;
  turnsByStatus(status: 'running' | 'waiting' | 'paced' | 'paused'): readonly TurnRecord[];
  lastTurn(session: SessionId): TurnRecord | undefined;
  /** In order. */
  turnIds(session: SessionId): readonly TurnId[];
  /** Copies a turn's row into another session, under an id of its own. */
  copyTurn(id: TurnId, into: SessionId): TurnId;
  /** Copies what was told of a turn, the next events of about `most` characters; `seen` are those that begin or end something. */
  copyEvents(
    from: { readonly turn: TurnId; readonly after: number; readonly until: number; readonly most: number },
    into: { readonly session: SessionId; readonly turn: TurnId },
  ): {
    readonly seen: readonly Pick<ToldEvent, 'at' | 'type' | 'data'>[];
    readonly after: number;
    readonly chars: number;
    readonly isLast: boolean;
  };
  /** Copies the references to a turn's long results and pictures. */
  copyKept(id: TurnId, into: { readonly session: SessionId; readonly turn: TurnId }): void;
  /** A turn that has ended somewhere else; its events follow by `insertTold`. */
  insertToldTurn(
    turn: Omit<TurnRecord, 'id' | 'phase' | 'lifting' | 'endedAt'> & { readonly endedAt: number },
  ): TurnId;
  /** An event of a copied turn, with its own time. It is not published, and has no place among those that are. */
  insertTold(
    event: ToldEvent,
    where: { readonly session: SessionId; readonly turn: TurnId },
    hidden: Hidden,
  ): void;
  /** What was said and done in a turn, as lines of text. */
  turnText(id: TurnId): string;

  /** Top-level calls of the newest answer of a turn, in order. */
  round(turn: TurnId): readonly CallRecord[];
  /** Top-level calls of a turn that have no result yet, whichever answer they are of. */
  openCalls(turn: TurnId): readonly CallRecord[];
  /** Top-level calls that a turn has had. */
  callCount(turn: TurnId): number;
  call(turn: TurnId, call: CallId): CallRecord | undefined;
  /** Steps that were made from inside a call, in order (A8). */
  steps(turn: TurnId, parent: CallId): readonly CallRecord[];
  /** Steps of a call that have no result yet. */
  openSteps(turn: TurnId, parent: CallId): readonly CallRecord[];
  insertCall(call: Omit<CallRecord, 'failed' | 'handle' | 'startedAt' | 'deadline'>): void;
  changeCall(
    turn: TurnId,
    call: CallId,
    change: Change<{
      status: CallRecord['status'];
      asks: WaitsFor | 'handles';
      prepared: Prepared | Unsound;
      title: string;
      failed: boolean;
      handle: HandleId;
      startedAt: number;
      deadline: number;
    }>,
  ): void;
  /** Calls of all turns that wait for this handle (`wait`). */
  waitersOf(handle: HandleId): readonly CallRecord[];
  setWait(turn: TurnId, call: CallId, handles: readonly HandleId[]): void;
  clearWait(turn: TurnId, call: CallId): void;
  /** Calls that wait with a deadline. */
  waitsWithDeadline(): readonly CallRecord[];

  approval(id: ApprovalId): ApprovalRecord | undefined;
  approvalOf(turn: TurnId, call: CallId): ApprovalRecord | undefined;
  insertApproval(
    approval: Pick<
      ApprovalRecord,
      'session' | 'turn' | 'call' | 'parent' | 'prepared' | 'folder' | 'why' | 'offers' | 'lapsesAt'
    >,
  ): ApprovalRecord;
  changeApproval(
    id: ApprovalId,
    change: Change<
      Pick<
        ApprovalRecord,
        | 'state'
        | 'request'
        | 'handle'
        | 'why'
        | 'offers'
        | 'by'
        | 'reason'
        | 'answeredAt'
        | 'askedAgainAt'
        | 'lapsesAt'
      >
    >,
  ): void;
  openApprovals(session?: SessionId): readonly ApprovalRecord[];
  openApprovalsOfTurn(turn: TurnId): readonly ApprovalRecord[];

  question(id: QuestionId): QuestionRecord | undefined;
  questionOf(turn: TurnId, call: CallId): QuestionRecord | undefined;
  insertQuestion(
    question: Pick<
      QuestionRecord,
      'session' | 'turn' | 'call' | 'parent' | 'tool' | 'title' | 'args' | 'lapsesAt' | 'handle' | 'person'
    >,
  ): QuestionRecord;
  changeQuestion(
    id: QuestionId,
    change: Change<{
      state: QuestionRecord['state'];
      handle: HandleId;
      owner: string;
      answer: Answer;
      by: string;
      answeredAt: number;
      lapsesAt: number;
    }>,
  ): void;
  openQuestions(session?: SessionId): readonly QuestionRecord[];

  handle(id: HandleId): HandleRecord | undefined;
  /** One that runs has been running since its call was started. */
  insertHandle(
    handle: Pick<
      HandleRecord,
      'session' | 'turn' | 'call' | 'kind' | 'title' | 'folder' | 'lifted' | 'state' | 'waitsFor' | 'ran'
    >,
  ): HandleRecord;
  changeHandle(
    id: HandleId,
    change: Change<{
      state: HandleRecord['state'];
      title: string;
      lifted: boolean;
      waitsFor: WaitsFor;
      runningAt: number;
      endedAt: number;
      end: HandleEnd;
      exitCode: number;
      signal: string;
      ran: boolean;
      result: CallResult;
    }>,
  ): void;
  handlesByState(state: 'waiting' | 'held' | 'running'): readonly HandleRecord[];

  /** Keeps a text whole beside the database; the reference is what `read {result}` takes (T7). */
  keep(session: SessionId, turn: TurnId, call: CallId, name: string, whole: string): string;

  /** What scripts have stored in a session, as JSON by key (S1). */
  storedValues(session: SessionId): Readonly<Record<string, string>>;
  /** Writes values of a session, or none of them when it would hold too much; whether they are written. */
  storeValues(
    session: SessionId,
    values: readonly { readonly key: string; readonly json: string | undefined }[],
  ): boolean;
  copyValues(from: SessionId, into: SessionId): void;

  addReport(report: Report): void;
  reports(session: SessionId): readonly Report[];
  clearReports(session: SessionId): void;

  /** Ended turns of a session behind its newest `keep`, oldest first, that nothing open needs; at most `most`. */
  prunable(session: SessionId, keep: number, most: number): readonly TurnId[];
  /** Drops everything of a turn but its audit. */
  dropTurn(session: SessionId, turn: TurnId): void;
  sessionIds(): readonly SessionId[];
  /** The number of the newest event. */
  lastSeq(): number;

  /** What is kept of the session's outside agent. */
  harness(session: SessionId): HarnessRecord | undefined;
  setHarness(session: SessionId, record: HarnessRecord): void;

  /** What the session's model is told of its folder's own instructions. */
  projectInstructions(session: SessionId): ProjectRecord | undefined;
  setProjectInstructions(session: SessionId, record: ProjectRecord | undefined): void;

  rules(session: SessionId): readonly RuleRecord[];
  rule(id: RuleId): RuleRecord | undefined;
  insertRule(rule: Omit<RuleRecord, 'id'>): RuleRecord;
  removeRule(id: RuleId): void;

  insertChange(change: {
    readonly session: SessionId;
    readonly turn: TurnId;
    readonly call: CallId;
    readonly path: string;
    readonly before: Uint8Array | undefined;
    readonly isUnknown?: true;
    readonly after: Uint8Array | undefined;
    readonly unkept?: string;
  }): void;
  /** Changes of files by calls of this session, oldest first, without those that were put back. */
  changes(session: SessionId): readonly ChangeRecord[];
  markReverted(ids: readonly number[]): void;
  /** A kept content by its hash; undefined when it is gone. */
  content(id: string): Uint8Array | undefined;

  /** Opens the audit entry of a call, or changes the open one. */
  audit(turn: TurnId, call: CallId, note: Change<AuditNote>): void;
  openAudit(entry: {
    readonly session: SessionId;
    readonly turn: TurnId;
    readonly call: CallId;
    readonly parent?: CallId;
    readonly tool: string;
    readonly title: string;
    readonly why: string;
    readonly rule?: string;
    readonly decision?: Verdict;
    readonly by?: string;
    readonly startedAt?: number;
  }): void;
  closeAudit(turn: TurnId, call: CallId, outcome: string, ran: boolean): void;

  /** What is remembered of an MCP server, by where it is configured. */
  serverRecord(server: string): ServerRecord;
  setServerRecord(server: string, record: ServerRecord): void;

  /** What a provider listed last, by its name in the settings. */
  modelList(provider: string): ModelListRecord | undefined;
  setModelList(provider: string, list: ModelListRecord): void;

  /** Names of the secrets that a person has stored because an agent asked; never their values. */
  secretNames(): readonly string[];
  setSecretNames(names: readonly string[]): void;

  cord(): CordRecord;
  setCord(cord: CordRecord): void;
  /** Moves every open lapse by the time since `pausedAt`, or since it was asked: it does not count (A5). */
  shiftLapses(pausedAt: number): void;
}

/** Before every event: what a copied session was told has numbers below 0, in the order in which it was told. */
export const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** Events of one session after `seq`, in order, for building the model's context. */
export interface Reader {
  sessionEvents(session: SessionId, after: number): readonly StoredEvent[];
  /** At most `limit` events of one session before `seq`, the newest first. */
  sessionEventsBefore(session: SessionId, seq: number, limit: number): readonly StoredEvent[];
  newestCompaction(session: SessionId): StoredEvent | undefined;
}

export interface Ledger {
  /**
   * Runs `job` in one transaction and returns its value at once; `durable` settles when it is on disk and
   * its events have been published. Throws when the store refuses (nothing is kept). An error with `unfit` is of a
   * row that is not of our shape: no trouble of the disk, and the same at every try.
   */
  commit<T>(job: (tx: Tx) => T): { readonly value: T; readonly durable: Promise<void> };
  read<T>(query: (tx: Tx & Reader) => T): T;
  /** Writes contents off the loop, so that a job to come only names them (D7). Never rejects. */
  stage(contents: readonly Uint8Array[]): Promise<void>;
}
