/**
 * The engine's face for the door (`api/`): every request that changes something is one job, every answer comes
 * after its commit is on disk and published.
 */
import {
  say,
  type Agent,
  type Answer,
  type Ended,
  type HandleId,
  type MessageId,
  type Mode,
  type QuestionId,
  type Reverted,
  type Rule,
  type RuleDraft,
  type RuleId,
  type Server,
  type ServerId,
  type SessionId,
  type TurnId,
} from '../../protocol';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import type { CommandPort } from './approvals/reading';
import type { UserRules } from './approvals/rulePort';
import { createCord, type Cord } from './cord/cord';
import { begin } from './driver/begin';
import { request, runKey, type Core, type EngineSettings, type Job, type Pulled } from './driver/core';
import { revertChanges, type RevertAsked } from './driver/changes';
import { noFacts } from './driver/facts';
import { askSummary } from './driver/compact';
import { removeUnlisted } from './driver/copies';
import { fork, type Copied, type ForkAsked } from './driver/fork';
import { importSession } from './driver/importSession';
import { decideStop } from './driver/lifts';
import {
  editMessage,
  removeMessage,
  reorderMessages,
  send,
  type Accepted,
  type Sent,
} from './driver/messages';
import type { Conversations } from './driver/model';
import { createPlaces } from './driver/places';
import { pull, release, underWay, wouldStart } from './driver/pause';
import { performer } from './driver/perform';
import { interrupt, stop, stopHandle, type StopOutcome } from './driver/endings';
import { prune } from './driver/prune';
import { liveTerminal } from './driver/terminals';
import { startNext, startTurn } from './driver/turns';
import { answerQuestion, takeQuestion } from './driver/questions';
import { considerAll } from './driver/serve';
import type { SessionText } from './driver/sessionText';
import {
  addRule,
  explain,
  previewRule,
  removeRule,
  rulesChanged,
  type Explained,
  type RuleGiven,
} from './driver/rules';
import { endUnasking } from './driver/agentModes';
import { giveVerdict, judgeAgain, type VerdictGiven, type VerdictRecorded } from './driver/verdicts';
import { refuse, RequestError } from './errors';
import type { HarnessPort } from './harnessPort';
import type { Ledger } from './ledger';
import type { Launch } from '../base/launch';
import type { Terminal } from './terminalPort';
import type { ModelListRecord, QuestionRecord, RuleRecord, ServerRecord, SessionRecord } from './records';
import type { FilePort } from './filePort';
import type { ClientToolPort, ModelPort, ToolPort } from './ports';
import type { ProjectPort } from './projectPort';
import { createSchedule, type Schedule } from './schedule';
import { sessionView } from './views';

export interface EngineOptions {
  readonly ledger: Ledger;
  readonly tools: ToolPort;
  readonly commands: CommandPort;
  readonly models: ModelPort;
  readonly clientTools: ClientToolPort;
  readonly files: FilePort;
  readonly project: ProjectPort;
  readonly harnesses: HarnessPort;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => EngineSettings;
  readonly trusted: () => boolean;
  readonly roots: () => readonly string[];
  readonly hidden: readonly string[];
  readonly userRules: UserRules;
  /** Files that servers are started from (A12). */
  readonly started?: () => readonly string[];
  readonly show: Core['show'];
  readonly platform: string;
  readonly random: () => number;
}

export interface NewSession {
  readonly folder: string;
  readonly agent: Agent;
  readonly title: string;
  readonly mode: Mode | undefined;
  readonly instructions: string;
}

export interface SessionChange {
  readonly title?: string | undefined;
  readonly mode?: Mode | undefined;
  readonly agent?: Agent | undefined;
  readonly instructions?: string | undefined;
  readonly archived?: boolean | undefined;
}

export interface Engine {
  readonly cord: Cord;
  readonly schedule: Schedule;
  /**
   * Brings what an earlier host left to named states, and starts what goes on (T10): nothing has started before.
   * With `pulledElsewhere`, another window of this user is paused, and this host is so as well (D4).
   */
  begin(pulledBy: string | undefined): Promise<void>;
  createSession(session: NewSession): Promise<SessionRecord>;
  changeSession(id: SessionId, change: SessionChange): Promise<void>;
  deleteSession(id: SessionId): Promise<void>;
  forkSession(asked: ForkAsked): Promise<Copied>;
  importSession(text: SessionText, folder: string): Promise<Copied>;
  send(sent: Sent): Promise<Accepted>;
  edit(id: MessageId, text: string): Promise<void>;
  remove(id: MessageId): Promise<void>;
  reorder(session: SessionId, order: readonly MessageId[]): Promise<void>;
  interrupt(session: SessionId, turn: TurnId): Promise<void>;
  askSummary(session: SessionId, by: string): Promise<void>;
  continueSession(session: SessionId): Promise<TurnId>;
  verdict(given: VerdictGiven): Promise<VerdictRecorded>;
  answer(question: QuestionId, answer: Answer, by: string): Promise<number>;
  take(question: QuestionId, client: string): Promise<QuestionRecord>;
  /** Throws `invalid_params` for an allow rule that could never allow anything. */
  addRule(rule: RuleGiven): Promise<Rule>;
  /** The words that it would be listed with; refused as it would be. */
  previewRule(rule: RuleDraft): Promise<string>;
  removeRule(id: RuleId): Promise<void>;
  /** Rules of the person have come and gone by another window: what waits is judged again (A7). */
  rulesChanged(added: readonly RuleRecord[], removed: readonly RuleRecord[]): Promise<void>;
  explain(session: SessionId, tool: string, args: unknown): Promise<Explained>;
  stopHandle(id: HandleId): Promise<StopOutcome>;
  readHandle(
    id: HandleId,
    offset: number,
    limit: number,
  ): { text: string; offset: number; total: number } | undefined;
  /** The terminal under a handle that runs; throws `handle_unknown`, `handle_ended`, or `invalid_params` for others. */
  terminal(id: HandleId): Terminal;
  /** What a person does to a terminal, under the cord of now; throws `host_paused` as well. */
  withTerminal<T>(id: HandleId, act: (terminal: Terminal, launch: Launch) => T): T;
  /** Trust or settings have changed outside: what waits is judged again (A7); with trust `regained`, messages start. */
  reconsider(regained: boolean): Promise<void>;
  pull(by: string, reason: string | undefined): Promise<Pulled>;
  release(by: string): Promise<{ readonly epoch: number; readonly starting: readonly Ended[] }>;
  wouldStart(): readonly Ended[];
  /** What the pull that holds has ended. */
  ended(): readonly Ended[];
  /** An MCP server has changed: told to every client. */
  serverChanged(id: ServerId, server: Server | undefined): Promise<void>;
  rememberServer(key: string, record: ServerRecord): Promise<void>;
  /** What a provider listed last, in this host or in one before it. */
  recallModels(provider: string): ModelListRecord | undefined;
  rememberModels(provider: string, list: ModelListRecord): Promise<void>;
  /** Names of the secrets that a person has stored because an agent asked. */
  askedSecrets(): readonly string[];
  /** True while nothing that was started before a pull is still alive. */
  isQuiet(): boolean;
  /** Puts files back as they were before tools changed them, one after the other (R7). */
  revertChanges(asked: RevertAsked): Promise<Reverted[]>;
  /** Drops what is kept of older turns; how many went. */
  prune(keepTurns: number, session: SessionId | undefined): Promise<number>;
  /** Ends what runs and leaves what waits; afterwards nothing starts any more. */
  stop(graceMs: number): Promise<void>;
}

/** Stand for the turn and call of a dry run. */

/** Makes the engine on a ledger; nothing of it starts before `begin`. */
export function openEngine(options: EngineOptions): Engine {
  const stored = options.ledger.read((tx) => tx.cord());
  const cord = createCord(stored.pulled, stored.epoch);
  const schedule = createSchedule(options.clock);
  const conversations: Conversations = new Map();
  const core: Core = {
    ...options,
    cord,
    schedule,
    runs: new Map(),
    looks: new Map(),
    requests: new Map(),
    deliveries: new Map(),
    waiting: new Map(),
    agents: new Map(),
    steps: new Map(),
    places: createPlaces(),
    facts: noFacts(),
    together: [],
    perform: performer(() => core, conversations, options.platform),
    settled: new Map(),
    pulling: undefined,
    pulls: 0,
    begun: false,
    stopping: false,
  };
  return {
    cord,
    schedule,
    begin: (pulledBy) => begin(core, pulledBy),
    ...sessionActs(core),
    ...requestActs(core),
    ...hostActs(core),
  };
}

function sessionActs(core: Core) {
  return {
    createSession: (session: NewSession) =>
      request(core, (job) => {
        const row = job.tx.insertSession({
          ...session,
          mode: session.mode ?? core.settings().mode,
          createdAt: job.tx.now,
          updatedAt: job.tx.now,
        });
        job.tx.emit('session_created', { session: sessionView(row, undefined) }, { session: row.id });
        return row;
      }),
    changeSession: (id: SessionId, change: SessionChange) =>
      request(core, (job) => {
        const row = sessionOf(job, id);
        if (change.agent !== undefined && row.turn !== undefined)
          throw new RequestError('session_busy', say('The agent can be changed once this turn has ended.'), {
            turn: row.turn,
          });
        if (change.agent !== undefined) job.effects.push({ kind: 'drop_agent', session: id });
        job.tx.changeSession(id, { ...defined(change), updatedAt: job.tx.now });
        if (change.mode !== undefined && row.turn !== undefined)
          job.tx.changeTurn(row.turn, { mode: change.mode });
        const changed = sessionOf(job, id);
        job.tx.emit(
          'session_updated',
          { session: sessionView(changed, job.tx.lastTurn(id)) },
          { session: id },
        );
        if (change.mode !== undefined) {
          judgeAgain(core, job, id);
          if (row.turn !== undefined) endUnasking(core, job, row, change.mode);
        }
      }),
    deleteSession: async (id: SessionId) => {
      await request(core, (job) => {
        const row = sessionOf(job, id);
        const runs = [...core.runs.values()].some((live) => job.tx.turn(live.turn)?.session === id);
        if (row.turn !== undefined || runs)
          throw new RequestError('session_busy', say('Stop what this session does before you delete it.'), {
            session: id,
          });
        for (const state of ['waiting', 'held'] as const)
          for (const handle of job.tx.handlesByState(state))
            if (handle.session === id) decideStop(core, job, handle, { isLast: true });
        job.effects.push({ kind: 'drop_agent', session: id });
        job.tx.emit('session_deleted', {}, { session: id });
        job.tx.unlistSession(id);
      });
      await removeUnlisted(core, id);
    },
    forkSession: (asked: ForkAsked) => fork(core, asked),
    importSession: (text: SessionText, folder: string) => importSession(core, text, folder),
    send: (sent: Sent) => request(core, (job) => send(core, job, sent)),
    edit: async (id: MessageId, text: string) => {
      await request(core, (job) => editMessage(job, id, text));
    },
    remove: (id: MessageId) => request(core, (job) => removeMessage(job, id)),
    reorder: (session: SessionId, order: readonly MessageId[]) =>
      request(core, (job) => reorderMessages(job, session, order)),
    interrupt: (session: SessionId, turn: TurnId) => interrupt(core, session, turn),
    askSummary: (session: SessionId, by: string) => askSummary(core, session, by),
    continueSession: (session: SessionId) =>
      request(core, (job) => {
        const row = sessionOf(job, session);
        if (!core.trusted()) throw refuse('untrusted_workspace');
        if (core.cord.pulled) throw new RequestError('host_paused', say('Paused: resume first.'));
        if (row.turn !== undefined)
          throw new RequestError('session_busy', say('The agent is at work.'), { turn: row.turn });
        const last = job.tx.lastTurn(session)?.status;
        if (last !== 'failed' && last !== 'interrupted')
          throw new RequestError(
            'turn_stale',
            say('There is nothing to continue: no turn was broken off. Send a message.'),
            { session },
          );
        const turn = startTurn(core, job, session, 'continue');
        if (turn === undefined)
          throw new RequestError('session_busy', say('The agent is at work.'), { session });
        return turn.id;
      }),
  };
}

function requestActs(core: Core) {
  return {
    verdict: (given: VerdictGiven) => giveVerdict(core, given),
    answer: (id: QuestionId, answer: Answer, by: string) =>
      request(core, (job) => {
        answerQuestion(core, job, id, answer, by);
        return job.tx.now;
      }),
    take: (id: QuestionId, client: string) => request(core, (job) => takeQuestion(job, id, client)),
    addRule: (rule: RuleGiven) => addRule(core, rule),
    previewRule: (rule: RuleDraft) => previewRule(core, rule),
    removeRule: (id: RuleId) => removeRule(core, id),
    rulesChanged: (added: readonly RuleRecord[], removed: readonly RuleRecord[]) =>
      rulesChanged(core, added, removed),
    explain: (session: SessionId, tool: string, args: unknown) => explain(core, session, tool, args),
  };
}

function hostActs(core: Core) {
  return {
    revertChanges: (asked: RevertAsked) => revertChanges(core, asked),
    stopHandle: (id: HandleId) => stopHandle(core, id),
    readHandle: (id: HandleId, offset: number, limit: number) => {
      const handle = core.ledger.read((tx) => tx.handle(id));
      return handle === undefined
        ? undefined
        : core.runs.get(runKey(handle.turn, handle.call))?.run.read(offset, limit);
    },
    terminal: (id: HandleId) => liveTerminal(core, id),
    withTerminal: <T>(id: HandleId, act: (terminal: Terminal, launch: Launch) => T): T => {
      const terminal = liveTerminal(core, id);
      if (core.cord.pulled) throw new RequestError('host_paused', say('Paused: resume first.'));
      return act(terminal, core.cord.launch());
    },
    reconsider: (regained: boolean) =>
      request(core, (job) => {
        judgeAgain(core, job, undefined);
        if (!core.trusted())
          for (const session of core.agents.keys()) job.effects.push({ kind: 'drop_agent', session });
        if (regained) considerAll(core, job);
        if (regained) for (const session of job.tx.idleWithWork()) startNext(core, job, session);
      }),
    pull: (by: string, reason: string | undefined) => pull(core, by, reason),
    release: (by: string) => release(core, by),
    wouldStart: () => wouldStart(core),
    ended: () => core.ledger.read((tx) => tx.cord().ended),
    serverChanged: (id: ServerId, server: Server | undefined) =>
      request(core, (job) =>
        job.tx.emit('server_changed', {
          server: id,
          state: server?.state ?? 'removed',
          ...(server === undefined ? {} : { content: server }),
        }),
      ),
    rememberServer: (key: string, record: ServerRecord) =>
      request(core, (job) => job.tx.setServerRecord(key, record)),
    recallModels: (provider: string) => core.ledger.read((tx) => tx.modelList(provider)),
    rememberModels: (provider: string, list: ModelListRecord) =>
      request(core, (job) => job.tx.setModelList(provider, list)),
    askedSecrets: () => core.ledger.read((tx) => tx.secretNames()),
    isQuiet: () => !core.cord.pulled || underWay(core).length === 0,
    prune: (keepTurns: number, session: SessionId | undefined) => prune(core, keepTurns, session),
    stop: (graceMs: number) => stop(core, graceMs),
  };
}

const sessionOf = (job: Job, id: SessionId): SessionRecord => {
  const row = job.tx.session(id);
  if (row === undefined) throw refuse('session_unknown', { session: id });
  return row;
};

/** Drops keys that are not given, so that they stay as they are. */
const defined = (change: SessionChange) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
