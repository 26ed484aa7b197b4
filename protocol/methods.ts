import { z } from 'zod';
import { AuditEntry, AuditFilter } from './audit';
import { DocumentPiece, InPieces } from './document';
import { textOf } from './bounded';
import { ApprovalId, At, HandleId, MessageId, QuestionId, RuleId, SessionId, TurnId, ViewId } from './ids';
import { listing, Page } from './listing';
import { Approval, ApprovalAnswer, ApprovalAnswered, Rule, RuleDraft } from './approval';
import {
  Handle,
  HandleAttached,
  HandleOutput,
  HandleRead,
  HandleShowing,
  HandleShown,
  HandleStopped,
  HandleWrite,
  TerminalSize,
} from './handle';
import { HarnessInfo, HarnessModel } from './harness';
import {
  EditorUnsaved,
  Ended,
  HostState,
  Initialize,
  Initialized,
  ModelList,
  Need,
  OtherWindow,
  SettingsUpdate,
  Snapshot,
} from './host';
import { Message, MessageSend, MessageSent } from './message';
import { FileChange, Reverted } from './change';
import { ModelDone, ModelPart, ModelRequest } from './model';
import { ClientName, ClientTool, ClientToolRegister, ClientToolRun } from './clientTool';
import { Answer, Question, QuestionAnswer, QuestionAnswered } from './question';
import { Server, ServerId, SignInAnswer, SignInBegin } from './server';
import { Session, SessionCopied, SessionCreate, SessionUpdate, TurnStatus, Usage } from './session';
import { TurnCode } from './errors';
import { TurnView } from './transcript';
import { Envelope } from './events';
import { PROMPT_BYTES, SESSION_FILE_BYTES, TRANSCRIPT_TURNS_MOST } from './limits';

const Empty = z.object({});
const by = z.string().min(1).max(128).optional();
const session = SessionId;
const Judged = z.object({ decision: z.enum(['allow', 'ask', 'deny']), why: z.string() });

export const TurnInfo = z.object({
  id: TurnId,
  session: SessionId,
  status: TurnStatus,
  code: TurnCode.optional(),
  detail: z.string().optional(),
  model: z.string(),
  rounds: z.number().int(),
  usage: Usage,
  startedAt: At,
  endedAt: At.optional(),
});

/** A session that was found; without `turn` it was found by its title. */
export const SessionFound = z.object({
  session: Session,
  /** The newest turn in which it was said. */
  turn: TurnId.optional(),
  /** The words around it, on one line. */
  excerpt: z.string().optional(),
});
export type SessionFound = z.infer<typeof SessionFound>;

/** What a client asks the host. */
export const Methods = {
  initialize: { params: Initialize, result: Initialized },
  shutdown: { params: z.object({ graceMs: z.number().int().min(0).max(60_000).optional() }), result: Empty },
  /** With `after` the stored events behind it, 10,000 at most (`limit_exceeded`), are sent first. */
  'events/subscribe': {
    params: z.object({ after: z.number().int().nonnegative().optional() }),
    result: z.object({ seq: z.number().int(), snapshot: Snapshot }),
  },
  'events/list': {
    params: z.object({ after: z.number().int().nonnegative(), session: session.optional(), ...Page }),
    result: listing(Envelope),
  },
  'session/create': { params: SessionCreate, result: z.object({ session: Session }) },
  'session/get': { params: z.object({ session }), result: z.object({ session: Session }) },
  'session/list': {
    params: z.object({ archived: z.boolean().optional(), ...Page }),
    result: listing(Session),
  },
  /** By title, and by what the person or the agent has said; at most the newest events are looked through. */
  'session/search': {
    params: z.object({
      text: z.string().min(1).max(256),
      limit: z.number().int().min(1).max(64).default(32),
    }),
    result: z.object({ items: z.array(SessionFound) }),
  },
  'session/update': { params: SessionUpdate, result: z.object({ session: Session }) },
  'session/delete': { params: z.object({ session }), result: Empty },
  /**
   * A new session with the same past: up to and with `turn`, or up to what was before `before`; all of it by default,
   * and `turn` counts where both are given. What waits or runs stays with the old one: in the copy it has ended, and
   * `warnings` say what that was.
   */
  'session/fork': {
    params: z.object({
      session,
      turn: TurnId.optional(),
      before: TurnId.optional(),
      title: z.string().max(256).optional(),
    }),
    result: SessionCopied,
  },
  /** The whole session as a document: Markdown to read, or JSON with every turn as `transcript/read` gives it, and as `session/import` takes it. */
  'session/export': {
    params: z.object({ session, format: z.enum(['markdown', 'json']).optional(), ...InPieces }),
    result: DocumentPiece,
  },
  /** A new session in `folder`, a folder of this workspace, with the past that a JSON export holds; as a fork has it. */
  'session/import': {
    params: z.object({ text: textOf(SESSION_FILE_BYTES), folder: z.string().min(1).max(4096) }),
    result: SessionCopied,
  },
  /**
   * Has the older part of a conversation summed up by its model before the next request, as it is by itself when the
   * model's window fills up (T7). Refused while there is nothing to sum up yet, and for an outside agent, which sums up
   * by itself. Asked twice, it is done once.
   */
  'session/compact': { params: z.object({ session, by }), result: Empty },
  'message/send': { params: MessageSend, result: MessageSent },
  'message/list': { params: z.object({ session, ...Page }), result: listing(Message) },
  'message/edit': {
    params: z.object({ message: MessageId, text: textOf(PROMPT_BYTES).min(1) }),
    result: z.object({ message: Message }),
  },
  'message/remove': { params: z.object({ message: MessageId }), result: Empty },
  'message/reorder': { params: z.object({ session, order: z.array(MessageId).max(256) }), result: Empty },
  'turn/list': { params: z.object({ session, ...Page }), result: listing(TurnInfo) },
  'turn/get': { params: z.object({ turn: TurnId }), result: z.object({ turn: TurnInfo }) },
  'turn/interrupt': { params: z.object({ session, turn: TurnId, by }), result: z.object({ turn: TurnInfo }) },
  /** Starts a turn after a loss or a failure: the agent is told what is known, unknown and not done (T10). */
  'turn/continue': { params: z.object({ session, by }), result: z.object({ turn: TurnId }) },
  'transcript/read': {
    params: z.object({
      session,
      before: TurnId.optional(),
      limit: z.number().int().min(1).max(TRANSCRIPT_TURNS_MOST).optional(),
    }),
    /**
     * Oldest first; `next` is the `before` of the page of older turns. Of an answer under way it holds what has been
     * streamed so far; deltas behind the reply go on from there.
     */
    result: listing(TurnView).extend({ seq: z.number().int() }),
  },
  /** Files that tools of Belay have changed in a turn, or in the whole session, and how they are now. */
  'change/list': {
    params: z.object({ session, turn: TurnId.optional(), ...Page }),
    result: listing(FileChange),
  },
  /** Both contents of a changed file, base64; a side is absent where there was no file. */
  'change/read': {
    params: z.object({ session, turn: TurnId.optional(), path: z.string().min(1).max(4096) }),
    result: z.object({ before: z.string().optional(), after: z.string().optional() }),
  },
  /**
   * Puts files back as they were before the turn, before all turns from `since` on, or before the session; all of them
   * by default, and only what nobody has edited since. `turn` counts where both are given.
   */
  'change/revert': {
    params: z.object({
      session,
      turn: TurnId.optional(),
      since: TurnId.optional(),
      paths: z.array(z.string().min(1).max(4096)).min(1).max(1024).optional(),
      by,
    }),
    result: z.object({ items: z.array(Reverted) }),
  },
  'approval/list': { params: z.object({ session: session.optional(), ...Page }), result: listing(Approval) },
  'approval/answer': { params: ApprovalAnswer, result: ApprovalAnswered },
  /** Both sides of an edit, whole, for a diff editor. */
  'approval/preview': {
    params: z.object({ approval: ApprovalId }),
    result: z.object({ path: z.string(), before: z.string(), after: z.string(), created: z.boolean() }),
  },
  'question/list': { params: z.object({ session: session.optional(), ...Page }), result: listing(Question) },
  'question/take': {
    params: z.object({ question: QuestionId, client: z.string().min(1).max(128) }),
    result: z.object({ question: Question }),
  },
  'question/answer': { params: QuestionAnswer, result: QuestionAnswered },
  /** Replaces what this client has registered. Refused with `invalid_params` for a name or schema that can't be used. */
  'clientTool/register': {
    params: ClientToolRegister,
    result: z.object({ tools: z.array(z.string()) }),
  },
  /** The client has gone, or no longer has these tools (all by default). */
  'clientTool/unregister': {
    params: z.object({ client: ClientName, tools: z.array(z.string().max(64)).max(256).optional() }),
    result: Empty,
  },
  'clientTool/list': { params: z.object({ ...Page }), result: listing(ClientTool) },
  'need/list': { params: z.object({ ...Page }), result: listing(Need) },
  'handle/list': {
    params: z.object({ session: session.optional(), state: z.enum(['open', 'ended']).optional(), ...Page }),
    result: listing(Handle),
  },
  'handle/read': { params: HandleRead, result: HandleOutput },
  /** The reply comes once the text is on its way; `limit_exceeded` when the program reads nothing. */
  'handle/write': { params: HandleWrite, result: Empty },
  'handle/resize': { params: TerminalSize.extend({ handle: HandleId }), result: Empty },
  /** Opens a view of a terminal, with its size if the view has one; then `handle/output` comes. */
  'handle/attach': {
    params: TerminalSize.partial().extend({ handle: HandleId }),
    result: HandleAttached,
  },
  /** Closes a view; the terminal goes on. */
  'handle/detach': { params: z.object({ view: ViewId }), result: Empty },
  'handle/stop': { params: z.object({ handle: HandleId, by }), result: HandleStopped },
  /** Answered at once by the very host that is asked, initialized or not: a sign of life of its thread. */
  'host/ping': { params: Empty, result: Empty },
  /** Pulls the cord in all windows of this user on this machine; `windows` are the others (D4). */
  'host/pause': {
    params: z.object({ by, reason: z.string().max(1024).optional() }),
    result: z.object({
      /** False when the window that does the work has not answered: it may go on until it does. `windows` names it. */
      paused: z.boolean(),
      epoch: z.number().int(),
      ended: z.array(Ended),
      stopping: z.array(Ended),
      windows: z.array(OtherWindow),
    }),
  },
  /** Releases it in all of them. */
  'host/resume': {
    params: z.object({ by }),
    result: z.object({
      paused: z.literal(false),
      epoch: z.number().int(),
      starting: z.array(Ended),
      windows: z.array(OtherWindow),
    }),
  },
  /** `starting`: what a release would start. */
  'host/status': {
    params: Empty,
    result: z.object({ host: HostState, starting: z.array(Ended), windows: z.array(OtherWindow) }),
  },
  'rule/list': { params: z.object({ session: session.optional(), ...Page }), result: listing(Rule) },
  /** Refused where `rule/preview` is. The path of a rule is kept as where it really leads. */
  'rule/add': { params: RuleDraft.extend({ by }), result: z.object({ rule: Rule }) },
  /** The words that a rule would be listed with. Writes nothing; refused, with the reason, if it could never hold. */
  'rule/preview': { params: RuleDraft, result: z.object({ label: z.string() }) },
  'rule/remove': { params: z.object({ rule: RuleId, by }), result: Empty },
  /** `parts`: of a command, each of its commands with the rule that decides it; none when it cannot be read. */
  'rule/explain': {
    params: z.object({ session, tool: z.string().max(128), args: z.unknown() }),
    result: Judged.extend({
      offers: z.array(z.string()),
      parts: z.array(Judged.extend({ command: z.string(), rule: z.string().optional() })),
    }),
  },
  'server/list': { params: z.object({ ...Page }), result: listing(Server) },
  /** Starts a server that is not at work. `server/restart` ends it first; both end a series of failures. */
  'server/start': { params: z.object({ server: ServerId, by }), result: z.object({ server: Server }) },
  'server/restart': { params: z.object({ server: ServerId, by }), result: z.object({ server: Server }) },
  'server/stop': { params: z.object({ server: ServerId, by }), result: z.object({ server: Server }) },
  /**
   * A person's word on a server of the workspace: it may start with exactly the configuration of this `hash`,
   * or, with `allow` false, no longer (A12). Refused with `server_changed` when it is another one by now.
   */
  'server/consent': {
    params: z.object({ server: ServerId, hash: z.string().max(128), allow: z.boolean(), by }),
    result: z.object({ server: Server }),
  },
  /**
   * Begins a sign-in to a server over HTTP (OAuth): finds its authorization server, registers this client there, and
   * gives the address that the client opens in a browser. `redirectUri` is where that browser is led in the end; one
   * sign-in a server is under way, and a new one takes its place. Nothing of it outlives the host.
   */
  'server/signIn': {
    params: SignInBegin.extend({ by }),
    result: z.object({ server: Server, url: z.string() }),
  },
  /**
   * What the browser has come back with. Replies once the server has taken it, and the server starts; while everything
   * is paused it replies at once, `account` stays `under_way`, and the sign-in is finished after release.
   */
  'server/signInAnswer': {
    params: SignInAnswer.extend({ by }),
    result: z.object({ server: Server }),
  },
  'server/signInCancel': { params: z.object({ server: ServerId, by }), result: z.object({ server: Server }) },
  /** Forgets the tokens of its address, and ends what lives by them. */
  'server/signOut': { params: z.object({ server: ServerId, by }), result: z.object({ server: Server }) },
  /** What a server has said on its error output, and what was noted of it; the newest part. */
  'server/log': { params: z.object({ server: ServerId }), result: z.object({ text: z.string() }) },
  'model/list': { params: z.object({ look: z.boolean().optional() }), result: ModelList },
  /** Outside agents that can be used here: what was found on this machine, and how to get what was not. */
  'harness/list': { params: Empty, result: listing(HarnessInfo) },
  /**
   * The models that an outside agent says it has. It is asked by starting its program for a moment, not while
   * paused and not in an untrusted workspace; some can say it only of a session, and of the last one. Nothing is
   * listed where it cannot be asked, and `note` says why: any model can be named by its id.
   */
  'harness/models': {
    params: z.object({ harness: z.string().min(1).max(128) }),
    result: z.object({ items: z.array(HarnessModel), note: z.string().optional() }),
  },
  /** The client tells which models of its own it offers, as provider `editor`. */
  'model/offer': {
    params: z.object({
      models: z
        .array(z.object({ id: z.string(), name: z.string(), contextWindow: z.number().int().optional() }))
        .max(256),
    }),
    result: Empty,
  },
  'audit/list': { params: z.object({ ...AuditFilter, ...Page }), result: listing(AuditEntry) },
  /** All audit entries as JSON lines, oldest first. */
  'audit/export': {
    params: z.object({ ...AuditFilter, ...InPieces }),
    result: DocumentPiece,
  },
  'store/status': {
    params: Empty,
    result: z.object({
      dir: z.string(),
      readOnly: z.boolean(),
      bytes: z.number(),
      walBytes: z.number(),
      commits: z.number().int(),
      syncs: z.number().int(),
      trouble: z.string().optional(),
    }),
  },
  /**
   * Drops what is kept of older turns of each session, but for what a handle or a request still needs (L15).
   * The audit stays.
   */
  'store/prune': {
    params: z.object({ keepTurns: z.number().int().min(1).max(100_000), session: session.optional() }),
    result: z.object({ turns: z.number().int(), files: z.number().int() }),
  },
  'store/check': { params: Empty, result: z.object({ problems: z.array(z.string()) }) },
  /** All that this client has changed and not saved, told anew whenever that is others; it goes with the client. */
  'editor/unsaved': { params: EditorUnsaved, result: Empty },
  'settings/update': { params: SettingsUpdate, result: z.object({ warnings: z.array(z.string()) }) },
} as const;

export type Method = keyof typeof Methods;
/** What a caller passes. */
export type ParamsOf<M extends Method> = z.input<(typeof Methods)[M]['params']>;
/** What a handler gets, parsed. */
export type ParsedOf<M extends Method> = z.output<(typeof Methods)[M]['params']>;
export type ResultOf<M extends Method> = z.output<(typeof Methods)[M]['result']>;

/** What the host asks a client. Each can be cancelled, and "the client has gone" is never a denial. */
export const ClientMethods = {
  /**
   * A secret that the client keeps: `model/NAME`, a provider's key; `window/key`, by which windows know each other;
   * `mcp/oauth/HASH`, a sign-in to the server of an address; `mcp/input/HASH/ID`, a value that a person gave;
   * `tool/NAME`, what a person has entered for an agent, asked for so that it is redacted wherever it is printed (X8).
   */
  'secret/get': {
    params: z.object({ name: z.string() }),
    result: z.object({ value: z.string().optional() }),
  },
  /** Keeps a secret of `mcp/oauth/…`, or with no value forgets it. */
  'secret/set': { params: z.object({ name: z.string(), value: z.string().optional() }), result: Empty },
  'model/request': { params: ModelRequest, result: ModelDone },
  /** An error reply with the code `client_gone` says that nobody serves it there (any more). */
  'clientTool/run': { params: ClientToolRun, result: Answer },
} as const;
export type ClientMethod = keyof typeof ClientMethods;
export type ClientParamsOf<M extends ClientMethod> = z.input<(typeof ClientMethods)[M]['params']>;
export type ClientResultOf<M extends ClientMethod> = z.output<(typeof ClientMethods)[M]['result']>;

/** What a client tells the host without an answer. */
export const ClientNotifications = { 'model/part': ModelPart, 'handle/shown': HandleShown } as const;

/**
 * What the host tells a client without an answer: `event`, `log` lines for the output channel, and the output of
 * terminals that the client is attached to.
 */
export const HostNotifications = {
  event: Envelope,
  'handle/output': HandleShowing,
  log: z.object({ level: z.enum(['debug', 'info', 'warn', 'error']), text: z.string() }),
} as const;
