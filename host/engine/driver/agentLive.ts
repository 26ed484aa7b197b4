/**
 * Outside agents under way: one for each session that has had a run since this host started.
 *
 * Owns: the agent's session, which requests its process waits for, and the events on their way. Does not own:
 * facts; those are rows. A host that starts has none of this.
 */
import type { CallId, SessionId, TurnId } from '../../../protocol';
import type { Capture } from '../../base/capture';
import type { HarnessSession } from '../harnessPort';
import type { CallRecord, TurnRecord } from '../records';
import type { Tx } from '../ledger';
import type { ToldTool } from './toldTools';
import type { LiveEdit } from './agentEdits';
import type { LiveWork } from './agentWork';
import type { Core } from './core';

/** An answer to a question of the agent's on its way to its process. */
export interface ToldAnswer {
  /** The agent's name of the request. */
  readonly request: string;
  /** What the next prompt says of it, should the agent not show that it has heard. */
  readonly words: string;
  /** It has been written to the process. */
  wasSent: boolean;
}

export interface LiveAgent {
  readonly id: SessionId;
  /** With which agent, model and mode its process was started: a change needs a new one. */
  readonly made: string;
  readonly session: HarnessSession;
  /** Which agent it is: whose tools it calls. */
  readonly harness: string;
  /** The client tools that its process was told of when it was started. */
  tools: readonly ToldTool[];
  /** The turn of the run under way. */
  turn: TurnId | undefined;
  /**
   * The run of its turn is over. `asks`: the turn is there for what the work behind it asks for, and over with the last
   * answer. `works`: meanwhile the agent works by itself, which ends as a run does.
   */
  behind: 'asks' | 'works' | undefined;
  /** Answers of the turn so far, for what is streamed. */
  rounds: number;
  /** The agent's name for each request that its process waits for. */
  readonly requests: Map<CallId, string>;
  /** Answers to its questions that it has not shown to have heard. */
  readonly told: Map<CallId, ToldAnswer>;
  /** Calls by the agent's own ids, which it may use again in the next run. */
  readonly calls: Map<string, CallId>;
  /** Edits under way, by the agent's own ids of their calls. */
  readonly edits: Map<string, LiveEdit>;
  /** What each running call has put out so far. */
  readonly outputs: Map<CallId, Capture>;
  /** What goes on in its process behind earlier runs, by the agent's own names. */
  readonly works: Map<string, LiveWork>;
  /** Its process was there before the run under way. */
  wasWarm: boolean;
  /** It is being ended; settles when it is gone. */
  closing: ReturnType<HarnessSession['dispose']> | undefined;
  /** Why it is being ended while it is at work, for the record of its turn; nobody says so of a person's stop. */
  endedFor: string | undefined;
  /** The newest prompt that waits until it is gone. */
  next: (() => void) | undefined;
}

/** A run of this turn is under way in an agent's process. */
export const isAtWork = (core: Core, turn: Pick<TurnRecord, 'session' | 'id'>): boolean =>
  core.agents.get(turn.session)?.turn === turn.id;

/** The calls that hold a turn: those of its newest answer, or all that its outside agent has under way. */
export const callsOf = (tx: Tx, turn: Pick<TurnRecord, 'id' | 'session'>): readonly CallRecord[] =>
  tx.session(turn.session)?.agent.kind === 'harness' ? tx.openCalls(turn.id) : tx.round(turn.id);
