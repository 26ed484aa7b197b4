/**
 * Outside agents: what the engine needs of one, and what each adapter declares of itself (H1). Only the folder
 * of an adapter knows which agent it is; everything here is said in terms of what an agent can do.
 */
import type {
  Ended,
  FormContent,
  FormQuestion,
  HarnessInfo,
  HarnessModel,
  Image,
  MessageId,
  Mode,
  SessionId,
  StoppedBy,
  TurnCode,
  Usage,
} from '../../protocol';
import type { Launch } from '../base/launch';
import type {
  AgentTools,
  CallResult,
  Prepared,
  StopReason,
  ToolReach,
  Unsound,
  WaitPolicy,
  Workplace,
} from './ports';

/** One step of the way to end an agent's turn; each has `HARNESS_STEP_MS` to show its effect (H4). */
export type LadderStep =
  /** Asked for in the agent's own protocol. */
  | { readonly kind: 'protocol'; readonly name: string }
  | { readonly kind: 'end_of_input' }
  /** To the process group of the agent's own program. */
  | { readonly kind: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' };

export interface HarnessCapabilities {
  /** `asks`: its permission requests come to Belay. `sandbox`: it cannot ask, and only its own sandbox holds it. */
  readonly approvals: 'asks' | 'sandbox';
  /** A message can be handed to a turn that is at work. */
  readonly steers: boolean;
  /** What becomes of its call of a client tool that waits for a person (C5). */
  readonly waits: WaitPolicy;
  /** Its own limit of a call that is held open, ms; none when undefined (C6). */
  readonly holdLimitMs: number | undefined;
  readonly reach: ToolReach;
  /**
   * How its conversation gets client tools that have come since it began: with each run, by a new process that goes on
   * with it, by the next process that there is for another reason, or not at all.
   */
  readonly newTools: 'each_run' | 'new_process' | 'next_process' | 'never';
  readonly ladder: readonly LadderStep[];
}

/** What a call of an outside agent does, as far as its adapter can tell from the agent's words. */
export type Deed =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly folder: string | undefined;
      /** Files that it changes besides, as far as the agent tells. */
      readonly edits?: readonly string[];
    }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'edit'; readonly changes: readonly FileChange[] }
  /** Touches only the agent's own records: its list of tasks. */
  | { readonly kind: 'own' }
  /** Asks the person in the agent's own protocol: what it was told with is never sent back as it was shown. */
  | { readonly kind: 'question' }
  /** It wants to carry out what it has planned. */
  | { readonly kind: 'plan'; readonly plan: string }
  | { readonly kind: 'other' };

/** Both sides of a change where the agent tells them, or its own text of it. `before` is undefined for a new file. */
export type FileChange =
  | {
      readonly kind: 'text';
      readonly path: string;
      readonly before: string | undefined;
      readonly after: string;
    }
  | { readonly kind: 'diff'; readonly path: string; readonly diff: string }
  /** The file holds just this afterwards, whatever it holds now. */
  | { readonly kind: 'whole'; readonly path: string; readonly after: string }
  /** Texts of it are replaced, one after the other. */
  | { readonly kind: 'replaced'; readonly path: string; readonly edits: readonly TextEdit[] }
  /** The file that the change before this one tells of is moved here. */
  | { readonly kind: 'target'; readonly path: string }
  /** The agent does not tell what changes in it. */
  | { readonly kind: 'unknown'; readonly path: string };

export interface TextEdit {
  readonly old: string;
  readonly next: string;
  /** Wherever it stands; else it stands once. */
  readonly all: boolean;
}

export interface HarnessCall {
  /** The agent's own id of the call, unique within its turn. */
  readonly id: string;
  /** The agent's own name of the tool. */
  readonly tool: string;
  /** Shown where the deed does not say it better. */
  readonly title: string;
  /** As the agent gave them: what is shown is what an allow sends back (H2). */
  readonly args: unknown;
  readonly deed: Deed;
}

/** How a run ended: one prompt, from its bytes to the agent's last word on it. */
export type HarnessOutcome =
  /** `killed`: work that ended with the agent's process although its turn ended well (H3). */
  | { readonly kind: 'completed'; readonly killed: readonly string[] }
  | {
      readonly kind: 'failed';
      readonly code: TurnCode;
      readonly detail: string;
      /** The agent's own conversation is gone: a resume found nothing (H6). */
      readonly lost?: boolean;
    }
  /** It was ended from outside. */
  | { readonly kind: 'stopped'; readonly by: StoppedBy | undefined };

/** Work of an agent that goes on in its process behind the run that has started it. */
export interface OwnWork {
  /** The agent's own name of it: that of the call whose result is still to come, or another. */
  readonly id: string;
  /** The agent's own id of the call that has started it. */
  readonly call: string;
  readonly title: string;
}

export type HarnessEvent =
  /** The agent's own id of the conversation. */
  | { readonly kind: 'conversation'; readonly id: string }
  /** A turn of its own is under way: from now on the conversation can be resumed (H6). */
  | { readonly kind: 'turn' }
  /** It works without having been prompted: work of its own has ended, or a late message reached it. */
  | { readonly kind: 'woke' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A whole piece of what it says; what was streamed of it is replaced. */
  | { readonly kind: 'message'; readonly text: string; readonly reasoning?: string }
  /** `started` is false for a call that may still be asked for. */
  | { readonly kind: 'call'; readonly call: HarnessCall; readonly started: boolean }
  | { readonly kind: 'output'; readonly id: string; readonly text: string }
  | { readonly kind: 'result'; readonly id: string; readonly result: CallResult }
  | {
      readonly kind: 'permission';
      /** Names the request to the agent's process. */
      readonly request: string;
      readonly call: HarnessCall;
      /** What the agent says of it. */
      readonly why?: string;
    }
  | {
      readonly kind: 'question';
      /** Names the request to the agent's process, which waits for the answer. */
      readonly request: string;
      /** The call by which it asks; its title is what is asked. */
      readonly call: HarnessCall;
      readonly asked: FormQuestion;
    }
  | {
      /** It asked for what nobody is asked for here. */
      readonly kind: 'unasked';
      readonly call: HarnessCall;
      /** What it was answered, and why: a sentence for the person. */
      readonly detail: string;
      /** It still waits, and is told no. */
      readonly request?: string;
    }
  /** The agent no longer waits for this verdict or answer. */
  | { readonly kind: 'permission_gone'; readonly request: string }
  /** A message that was handed over has been read. */
  | { readonly kind: 'read'; readonly message: MessageId }
  /** The agent refused a message that was handed over. */
  | { readonly kind: 'unread'; readonly message: MessageId }
  /** What it has used since it last told. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  | {
      readonly kind: 'retry';
      readonly attempt: number;
      readonly attempts: number;
      readonly detail: string;
      readonly delayMs: number;
      /** Its provider has a limit, or too much to do; else the request failed. */
      readonly limited: boolean;
    }
  /** For the log. */
  | { readonly kind: 'notice'; readonly text: string }
  /**
   * The run is over. `prompted` is false for work that it began by itself; `goesOn`: what has no result yet goes on
   * in its process.
   */
  | {
      readonly kind: 'ended';
      readonly outcome: HarnessOutcome;
      readonly prompted: boolean;
      readonly goesOn: boolean;
      /** What of it has a name, so that it can be shown and stopped by itself. */
      readonly work: readonly OwnWork[];
    }
  /** Such work is over. Where a call's result comes late, that is its end. */
  | { readonly kind: 'work_over'; readonly id: string; readonly how: 'completed' | 'failed' | 'stopped' }
  /**
   * Its process is gone, with everything that it had under way. `killed`: work of its own that ended with it
   * although nobody ended it and its turn had ended well (H3).
   */
  | { readonly kind: 'gone'; readonly killed: readonly string[] };

/** Takes events in their order. Settles when it can take more: a reader waits for it (R10). */
export type HarnessSink = (event: HarnessEvent) => Promise<void>;

export interface HarnessOpen {
  readonly session: SessionId;
  readonly harness: string;
  /** The agent's own model, when the session names one. */
  readonly model: string | undefined;
  readonly mode: Mode;
  /** Absolute path. */
  readonly folder: string;
  /** An earlier conversation to go on with, and what it has used so far. */
  readonly resume: { readonly id: string; readonly used: Usage } | undefined;
  readonly sink: HarnessSink;
}

export interface HarnessPrompt {
  readonly text: string;
  readonly images: readonly Image[];
  readonly tools: AgentTools | undefined;
}

export interface HandedMessage {
  readonly message: MessageId;
  readonly text: string;
  readonly images: readonly Image[];
}

/** A verdict or an answer as the agent gets it. `args` are exactly those that were shown (H2). */
export type HarnessVerdict =
  | { readonly allow: true; readonly args: unknown }
  | { readonly allow: false; readonly reason: string }
  /** To a question: its fields by name. Without an answer it is declined with a reason. */
  | { readonly allow: true; readonly content: FormContent };

/** One conversation with one agent, and the process behind it, which is started with the first prompt. */
export interface HarnessSession {
  /** A process of it is there. */
  isAlive(): boolean;
  /** Work of its own goes on between turns, and would end with its process. */
  isBusy(): boolean;
  /**
   * Starts a run; what becomes of it comes as events, `ended` last. Throws `CordPulled` when `launch` refuses
   * at once; a later refusal ends the run as `stopped`.
   */
  prompt(prompt: HarnessPrompt, launch: Launch): void;
  /** Hands a message to the turn at work; false when it takes none now. */
  steer(message: HandedMessage, launch: Launch): boolean;
  /** Answers a permission request or a question; false when nobody waits for it. */
  answer(request: string, verdict: HarnessVerdict, launch: Launch): boolean;
  /** Asks the agent to end such work; false when it cannot be asked. Its end comes as an event. */
  stopWork(id: string): boolean;
  /**
   * Ends the turn, step by step, until it and its work are gone; a process that obeys stays. Called again it
   * skips a step. Resolves with the step after which all was gone.
   */
  interrupt(): Promise<StoppedBy>;
  /** Ends the process and its tree. Harmless when called again. */
  dispose(reason: StopReason): Promise<StoppedBy>;
}

export interface HarnessModels {
  readonly items: readonly HarnessModel[];
  /** Why they are not asked for anew, for the person. */
  readonly note?: string;
}

export interface HarnessPort {
  /** Every agent that could be used here, found or not. */
  list(): Promise<readonly HarnessInfo[]>;
  /** What an agent can do; undefined when no adapter is for it. */
  capabilities(harness: string): HarnessCapabilities | undefined;
  /**
   * The models that an agent says it has; asked anew only inside `launch`, for a moment, in `folder`. Never rejects.
   */
  models(harness: string, folder: string, launch: Launch | undefined): Promise<HarnessModels>;
  /** Programs that are there for a moment, beside all sessions: a pause tells of them and waits for `gone` (P1). */
  underWay(): readonly Ended[];
  gone(): Promise<void>;
  open(options: HarnessOpen): HarnessSession;
  /** Looks at what a call does, so that it can be judged, shown and allowed like a call of Belay's own (H2). */
  prepare(call: HarnessCall, place: Workplace): Promise<Prepared | Unsound>;
}
