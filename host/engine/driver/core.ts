/**
 * What the driver's parts share, and the one way in which they change anything: commit, publish, act (R1).
 *
 * Owns: the work under way (`live`). Does not own: facts; those are rows, and every decision reads them in
 * the same job that records it (R2).
 * D1 A job reads and writes rows only; what it wants done comes back as effects and starts after its commit is
 *    on disk. So a job that the disk refused can be run again.
 */
import type {
  ApprovalId,
  CallId,
  DataOf,
  Ended,
  HandleId,
  Mode,
  QuestionId,
  SessionId,
  TurnId,
} from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { CommandPort } from '../approvals/reading';
import type { UserRules } from '../approvals/rulePort';
import type { Cord } from '../cord/cord';
import type { Ledger, Tx } from '../ledger';
import type { FilePort } from '../filePort';
import type { CallResult, ClientToolPort, ModelPort, Prepared, Run, ToolPort } from '../ports';
import type { ProjectPort } from '../projectPort';
import type { FactOf, Facts } from './facts';
import type { StepPlaces } from './places';
import type { OpenStep } from './steps';
import type { HarnessPort, HarnessVerdict } from '../harnessPort';
import type { Schedule } from '../schedule';
import type { LiveAgent } from './agentLive';

export interface EngineSettings {
  readonly defaultModel: string;
  readonly mode: Mode;
  readonly holdMs: number;
  readonly lapseMs: number | undefined;
  readonly wakeIdleSession: boolean;
  readonly roundsPerTurn: number;
  /** Tokens, and dollars, that one turn may use; undefined for any. */
  readonly tokensPerTurn: number | undefined;
  readonly costUsdPerTurn: number | undefined;
  readonly modelAttempts: number;
  readonly backoffMs: number;
  readonly steerGraceMs: number;
  readonly clientGraceMs: number;
  readonly protectedReads: boolean;
}

/** What a job wants done once it is on disk. */
export type Effect =
  | { readonly kind: 'ask_model'; readonly turn: TurnId; readonly attempt: number; readonly launch: Launch }
  /** A run of an outside agent begins. */
  | { readonly kind: 'prompt_agent'; readonly turn: TurnId; readonly launch: Launch }
  /** The unread steers are handed to an outside agent at work. */
  | { readonly kind: 'steer_agent'; readonly turn: TurnId; readonly launch: Launch }
  | {
      readonly kind: 'answer_agent';
      readonly session: SessionId;
      readonly call: CallId;
      readonly verdict: HarnessVerdict;
      readonly launch: Launch;
    }
  /** A request of an outside agent that has no row is answered: nobody is asked for it. */
  | {
      readonly kind: 'reply_agent';
      readonly session: SessionId;
      readonly request: string;
      readonly verdict: HarnessVerdict;
      readonly launch: Launch;
    }
  /** An outside agent's process is no longer wanted. */
  | { readonly kind: 'drop_agent'; readonly session: SessionId; readonly why?: string }
  | { readonly kind: 'run'; readonly turn: TurnId; readonly call: CallId; readonly launch: Launch }
  | { readonly kind: 'detach'; readonly turn: TurnId; readonly call: CallId }
  | {
      readonly kind: 'stop_handle';
      readonly handle: HandleId;
      readonly reply: { readonly turn: TurnId; readonly call: CallId };
    }
  /** A step may start: it goes for its place. */
  | { readonly kind: 'step_ready'; readonly turn: TurnId; readonly call: CallId }
  /** A step waits for a person: its place is free for others. */
  | { readonly kind: 'step_waits'; readonly turn: TurnId; readonly call: CallId }
  /** A step has its result: it goes back into the call that made it. */
  | { readonly kind: 'step_done'; readonly turn: TurnId; readonly call: CallId; readonly result: CallResult }
  /** A call of an outside agent has its result, or its handle: it goes back to the agent. */
  | {
      readonly kind: 'call_answered';
      readonly turn: TurnId;
      readonly call: CallId;
      readonly result: CallResult;
    }
  /** A look at a terminal, which has typed or resized first (`write_stdin`). */
  | {
      readonly kind: 'look';
      readonly turn: TurnId;
      readonly call: CallId;
      readonly handle: HandleId;
      readonly launch: Launch;
    }
  | { readonly kind: 'stop_run'; readonly turn: TurnId; readonly call: CallId }
  | { readonly kind: 'hold'; readonly turn: TurnId }
  | { readonly kind: 'grace'; readonly turn: TurnId }
  | { readonly kind: 'lapse_approval'; readonly id: ApprovalId; readonly at: number }
  | { readonly kind: 'lapse_question'; readonly id: QuestionId; readonly at: number }
  /** Look again where this question goes, then (C2). */
  | { readonly kind: 'look_again'; readonly id: QuestionId; readonly at: number }
  | {
      readonly kind: 'deliver';
      readonly question: QuestionId;
      readonly owner: string;
      readonly launch: Launch;
    }
  /** It has its end: a client that has it stops. */
  | { readonly kind: 'call_off'; readonly question: QuestionId }
  | { readonly kind: 'wait_deadline'; readonly turn: TurnId; readonly call: CallId; readonly at: number }
  | { readonly kind: 'retry'; readonly turn: TurnId; readonly attempt: number; readonly at: number }
  | { readonly kind: 'unschedule'; readonly key: string }
  /** The turn is parked or over: nothing of it stays in memory. */
  | { readonly kind: 'forget'; readonly turn: TurnId; readonly session: SessionId };

export interface Job {
  readonly tx: Tx;
  readonly effects: Effect[];
}

/** Work under way, by turn and call; a lifted call keeps its entry while it runs. */
export interface LiveRun {
  readonly run: Run;
  readonly turn: TurnId;
  readonly call: CallId;
  readonly prepared: Prepared;
}

/** A call that a client has. */
export interface LiveDelivery {
  readonly abort: AbortController;
  readonly person: boolean;
  readonly call: CallId;
  readonly title: string;
}

export interface LiveLook {
  /** Ends the wait without a result: the call has been answered, and what has come is left for the next look. */
  abandon(): void;
}

export interface LiveRequest {
  readonly abort: AbortController;
  /** Resolves when nothing of it can still leave, not in another thread either. */
  done: Promise<void>;
  text: string;
  reasoning: string;
}

export interface Core {
  readonly ledger: Ledger;
  readonly tools: ToolPort;
  readonly commands: CommandPort;
  readonly models: ModelPort;
  readonly clientTools: ClientToolPort;
  readonly files: FilePort;
  readonly project: ProjectPort;
  readonly harnesses: HarnessPort;
  readonly cord: Cord;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: () => EngineSettings;
  readonly userRules: UserRules;
  readonly trusted: () => boolean;
  readonly roots: () => readonly string[];
  /** Paths that no tool may name (A12). */
  readonly hidden: readonly string[];
  /** Files that servers are started from (A12). */
  readonly started?: () => readonly string[];
  readonly runs: Map<string, LiveRun>;
  /** Looks at terminals that wait for output, by turn and call (`terminals.ts`). */
  readonly looks: Map<string, LiveLook>;
  readonly requests: Map<TurnId, LiveRequest>;
  /** Steps that have no result yet, by turn and call. */
  readonly steps: Map<string, OpenStep>;
  readonly places: StepPlaces;
  /** Facts that the disk has refused (`facts.ts`). */
  readonly facts: Facts;
  /** Facts that the next commit of steps records. */
  readonly together: FactOf[];
  readonly deliveries: Map<QuestionId, LiveDelivery>;
  /** Who waits for the result of an outside agent's call, by turn and call. */
  readonly waiting: Map<string, (result: CallResult) => void>;
  /** Outside agents of which a process may be there, by session. */
  readonly agents: Map<SessionId, LiveAgent>;
  /** Shows something that is not kept. */
  readonly show: <T extends 'text_delta' | 'reasoning_delta' | 'tool_progress' | 'store_changed'>(
    type: T,
    data: DataOf<T>,
    where: { readonly session?: SessionId; readonly turn?: TurnId },
  ) => void;
  readonly perform: (effects: readonly Effect[]) => void;
  /** Number between 0 and 1 for the jitter of retries. */
  readonly random: () => number;
  /** Called when a turn leaves memory: parked, paused or over. */
  readonly settled: Map<TurnId, Set<() => void>>;
  /** The pull of the cord that is under way. */
  pulling: Promise<Pulled> | undefined;
  /** How often the cord has been asked for: a release that waits for a pull is undone by the next one. */
  pulls: number;
  /** What an earlier host left has been brought to named states. */
  begun: boolean;
  stopping: boolean;
}

/** What a pull has ended, and what of it has not been seen gone yet. */
export interface Pulled {
  readonly epoch: number;
  readonly ended: readonly Ended[];
  readonly stopping: readonly Ended[];
}

export const runKey = (turn: TurnId, call: CallId): string => `${turn}/${call}`;

/** Commits a request's job once: what the store refuses, the caller is told. */
export async function request<T>(core: Core, job: (job: Job) => T): Promise<T> {
  const effects: Effect[] = [];
  const { value, durable } = core.ledger.commit((tx) => job({ tx, effects }));
  await durable;
  core.perform(effects);
  return value;
}

export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
