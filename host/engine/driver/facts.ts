/**
 * Facts that must not be lost (a result, an end): what the disk refuses waits in one line until the disk takes it or
 * the host stops (D8).
 *
 * Owns: the line.
 * F1 Facts are committed in the order in which they happened: while one waits, every later one stands behind it.
 * F2 The line has one deadline, whatever its length.
 * F3 What cannot be written for another reason than the disk's is never tried again: what it was of ends with a code
 *    in its place (`unwritten.ts`), so that nothing is left without an owner (R5).
 */
import { describe, type Core, type Effect, type Job } from './core';
import { instead, type Subject } from './unwritten';

/** First and longest pause before the line is tried again, ms: a full disk seldom empties at once. */
const AGAIN_FIRST_MS = 50;
const AGAIN_MOST_MS = 2_000;
const AGAIN = 'facts';
/** Facts of the line that are committed in one go: more would hold up the other sessions (S4). */
const FACTS_AT_ONCE = 32;

export type Act = (job: Job) => void;

interface Fact {
  /** When it happened, counted. */
  readonly place: number;
  readonly act: Act;
  readonly taken: () => void;
  readonly failed: (error: unknown) => void;
}

export interface Facts {
  readonly line: Fact[];
  /** How many there have been. */
  count: number;
  pauseMs: number;
}

export const noFacts = (): Facts => ({ line: [], count: 0, pauseMs: AGAIN_FIRST_MS });

/** Commits a fact, as soon as the disk takes it. `of` is what ends in its place when it cannot be written. */
export function record(core: Core, of: Subject, act: Act): void {
  enter(core, factOf(core, ++core.facts.count, of, act));
}

/** The same for who must wait for it and has a way on of its own; false when it was not taken. Never rejects. */
export function recorded(core: Core, act: Act): Promise<boolean> {
  return new Promise((resolve) => {
    enter(core, {
      place: ++core.facts.count,
      act,
      taken: () => resolve(true),
      failed: (error) => {
        lost(core, error);
        resolve(false);
      },
    });
  });
}

/** A fact that is of something, and what it is. */
export interface FactOf {
  readonly of: Subject;
  readonly act: Act;
}

/** Commits facts of one moment together; one that fails does not take the others with it. */
export function recordAll(core: Core, facts: readonly FactOf[]): void {
  const place = ++core.facts.count;
  const apart = (error: unknown) => {
    core.log('warn', `Facts of one moment are recorded one by one: ${describe(error)}`);
    for (const { of, act } of facts) enter(core, factOf(core, place, of, act));
  };
  const together = (job: Job) => {
    for (const { act } of facts) act(job);
  };
  enter(core, { place, act: together, taken: nothing, failed: apart });
}

const nothing = () => undefined;

function factOf(core: Core, place: number, of: Subject, act: Act): Fact {
  return {
    place,
    act,
    taken: nothing,
    failed: (error) => {
      lost(core, error);
      tryInTurn(core, place, instead(core, of));
    },
  };
}

/** The first of these that can be written. */
function tryInTurn(core: Core, place: number, [act, ...rest]: readonly Act[]): void {
  if (act === undefined) return;
  const failed = (error: unknown) => {
    lost(core, error);
    tryInTurn(core, place, rest);
  };
  enter(core, { place, act, taken: nothing, failed });
}

/** The host stops: what still waits is tried once more. */
export function recordWaiting(core: Core): void {
  commitLine(core);
}

function enter(core: Core, fact: Fact): void {
  lineUp(core, fact);
  if (core.stopping || !core.schedule.has(AGAIN)) commitLine(core);
}

function lineUp(core: Core, fact: Fact): void {
  const { line } = core.facts;
  const later = line.findIndex((one) => one.place > fact.place);
  line.splice(later < 0 ? line.length : later, 0, fact);
}

/** Commits what waits, until the disk refuses one. They share a sync. */
function commitLine(core: Core): void {
  const { line } = core.facts;
  for (let n = 1; ; n++) {
    const fact = line.shift();
    if (fact === undefined) return;
    commit(core, fact);
    if (core.stopping) continue;
    if (core.schedule.has(AGAIN)) return;
    if (n === FACTS_AT_ONCE && line.length > 0) {
      again(core, 0);
      return;
    }
  }
}

function commit(core: Core, fact: Fact): void {
  const effects: Effect[] = [];
  try {
    const { durable } = core.ledger.commit((tx) => fact.act({ tx, effects }));
    durable.then(
      () => taken(core, fact, effects),
      (error: unknown) => refused(core, fact, error),
    );
  } catch (error) {
    refused(core, fact, error);
  }
}

function taken(core: Core, fact: Fact, effects: readonly Effect[]): void {
  core.facts.pauseMs = AGAIN_FIRST_MS;
  fact.taken();
  core.perform(effects);
}

function refused(core: Core, fact: Fact, error: unknown): void {
  if (core.stopping || !isDiskTrouble(error)) {
    fact.failed(error);
    return;
  }
  core.log('warn', `The store refused a fact, trying again: ${describe(error)}`);
  // Damage may be of the rows of this one alone: the others go first.
  const isDamage = error.code === 'store_damaged';
  lineUp(core, isDamage ? { ...fact, place: ++core.facts.count } : fact);
  if (core.schedule.has(AGAIN)) return;
  again(core, core.facts.pauseMs);
  core.facts.pauseMs = Math.min(core.facts.pauseMs * 2, AGAIN_MOST_MS);
}

function again(core: Core, ms: number): void {
  core.schedule.set(AGAIN, core.clock.now() + ms, () => commitLine(core));
}

function lost(core: Core, error: unknown): void {
  if (!core.stopping) core.log('error', `A fact could not be recorded: ${describe(error)}`);
}

const DISK_TROUBLE = new Set(['store_full', 'store_io', 'store_read_only', 'store_damaged']);

/** A row that is not of our shape is so again at every try: that is no trouble of the disk. */
export const isDiskTrouble = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  DISK_TROUBLE.has(error.code) &&
  !('unfit' in error);
