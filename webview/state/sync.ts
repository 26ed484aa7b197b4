/**
 * Keeps the mirror equal to the host: subscribes, reads the shown session's turns, folds events, and begins
 * anew after a gap.
 *
 * Owns: the mirror, and which requests are under way. Called by: `wire.ts` only.
 * Invariants: (1) a reply that was overtaken by a newer subscription or another session is dropped; (2) stored
 * events that come while a reply is awaited are kept and folded after it, so nothing depends on their order;
 * (3) until the new mirror is there the old one stays, so that a reload of the lists shows no empty page.
 */
import type { BelayEvent } from '../../protocol/events';
import type { SessionId, TurnId } from '../../protocol/ids';
import type { Method, ParamsOf, ResultOf } from '../../protocol/methods';
import {
  foldEvent,
  foldTranscript,
  isTransient,
  prependTurns,
  trimTurns,
  TURNS_KEPT,
  type Mirror,
  type Transcript,
} from './mirror';
import type { RequestRefused } from './values';

export type Ask = <M extends Method>(
  method: M,
  params: ParamsOf<M>,
  settled: (result: ResultOf<M>) => void,
  refused: (error: RequestRefused) => void,
) => void;

export interface SyncView {
  /** `passing`: only streamed text is new, and may wait for the next frame. */
  mirror(mirror: Mirror, passing: boolean): void;
  /** What was just folded, for what only happens once (announcements). */
  folded(event: BelayEvent, mirror: Mirror): void;
  loadingOlder(loading: boolean): void;
  failed(error: RequestRefused | undefined): void;
  /** True while the person reads the newest turns, so that older ones may be let go. */
  atEnd(): boolean;
}

const FIRST_TURNS = 16;
/** A page of older turns: enough that the person who scrolls does not wait for the next one. */
const OLDER_TURNS = 32;

export class Sync {
  readonly #ask: Ask;
  readonly #view: SyncView;
  #mirror: Mirror | undefined;
  #shown: SessionId | undefined;
  /** Grows with each subscription and each change of session; a reply to an older one is dropped. */
  #subscription = 0;
  #reading = 0;
  #subscribing = false;
  #readingTurns = false;
  #readingOlder = false;
  #kept: BelayEvent[] = [];
  /** The turn up to which older ones are read. */
  #target: string | undefined;
  #all = false;

  constructor(ask: Ask, view: SyncView) {
    this.#ask = ask;
    this.#view = view;
  }

  /** Reads everything anew. */
  subscribe(): void {
    const subscription = ++this.#subscription;
    this.#subscribing = true;
    this.#kept = [];
    this.#ask(
      'events/subscribe',
      {},
      ({ snapshot }) => {
        if (subscription !== this.#subscription) return;
        this.#subscribing = false;
        const before = this.#mirror?.transcript;
        this.#publish(before === undefined ? { snapshot } : { snapshot, transcript: before });
        this.#view.failed(undefined);
        this.#foldKept();
        this.#readTurns();
      },
      (error) => {
        if (subscription !== this.#subscription) return;
        this.#subscribing = false;
        this.#view.failed(error);
      },
    );
  }

  /** Shows another session, or none. */
  show(session: SessionId | undefined): void {
    if (this.#shown === session) return;
    this.#shown = session;
    this.#reading++;
    this.#readingTurns = false;
    this.#target = undefined;
    this.#all = false;
    if (this.#mirror === undefined) return;
    this.#publish({ snapshot: this.#mirror.snapshot });
    if (!this.#subscribing) this.#readTurns();
  }

  event(event: BelayEvent): void {
    if ((this.#subscribing || this.#readingTurns || this.#readingOlder) && !isTransient(event.type)) {
      this.#kept.push(event);
    }
    if (this.#subscribing || this.#mirror === undefined) return;
    const next = foldEvent(this.#mirror, event);
    if (next === 'gap') {
      this.subscribe();
      return;
    }
    if (next === this.#mirror) return;
    this.#publish(event.type === 'turn_started' ? this.#trimmed(next) : next, isTransient(event.type));
    this.#view.folded(event, next);
  }

  /** Reads older turns, page by page, until this one is here or there is none before. */
  reach(turn: string): void {
    this.#target = turn;
    this.#goOn();
  }

  /** Reads older turns until there are none before. */
  reachAll(): void {
    this.#all = true;
    this.#goOn();
  }

  #goOn(): void {
    const transcript = this.#mirror?.transcript;
    if (transcript === undefined) return;
    if (transcript.older === undefined) this.#all = false;
    if (transcript.older === undefined || transcript.turns.some((view) => view.turn === this.#target))
      this.#target = undefined;
    if (this.#all || this.#target !== undefined) this.older();
  }

  /** Reads the page of turns before those that are here. */
  older(): void {
    const transcript = this.#mirror?.transcript;
    if (transcript?.older === undefined || this.#readingOlder || this.#readingTurns) return;
    const reading = this.#reading;
    this.#readingOlder = true;
    this.#view.loadingOlder(true);
    const done = () => {
      this.#readingOlder = false;
      this.#view.loadingOlder(false);
    };
    this.#ask(
      'transcript/read',
      {
        session: transcript.session,
        before: transcript.older,
        limit: this.#target === undefined && !this.#all ? OLDER_TURNS : TURNS_KEPT,
      },
      (page) => {
        done();
        const now = this.#mirror?.transcript;
        if (reading !== this.#reading || now === undefined || this.#mirror === undefined) return;
        const first: Transcript = { session: now.session, turns: page.items, seq: page.seq };
        const items = this.#take().reduce(foldTranscript, first).turns;
        this.#publish({ ...this.#mirror, transcript: prependTurns(now, { items }, olderOf(page)) });
        this.#goOn();
      },
      (error) => {
        done();
        if (reading === this.#reading) this.#view.failed(error);
      },
    );
  }

  #readTurns(): void {
    const session = this.#shown;
    if (session === undefined) return;
    const reading = ++this.#reading;
    const had = this.#mirror?.transcript?.turns.length ?? 0;
    this.#readingTurns = true;
    this.#ask(
      'transcript/read',
      { session, limit: Math.min(TURNS_KEPT, Math.max(FIRST_TURNS, had)) },
      (page) => {
        if (reading !== this.#reading || this.#mirror === undefined) return;
        this.#readingTurns = false;
        const older = olderOf(page);
        const read: Transcript = {
          session,
          turns: page.items,
          seq: page.seq,
          ...(older === undefined ? {} : { older }),
        };
        this.#publish({ ...this.#mirror, transcript: this.#take().reduce(foldTranscript, read) });
        this.#goOn();
      },
      (error) => {
        if (reading !== this.#reading) return;
        this.#readingTurns = false;
        this.#view.failed(error);
      },
    );
  }

  /** Events that came while the lists were read; the snapshot holds the older ones of them. */
  #foldKept(): void {
    const kept = this.#kept;
    this.#kept = [];
    for (const event of kept) this.event(event);
  }

  #take(): readonly BelayEvent[] {
    const kept = this.#kept;
    if (!this.#readingTurns && !this.#readingOlder) this.#kept = [];
    return kept;
  }

  #trimmed(mirror: Mirror): Mirror {
    const { transcript } = mirror;
    return transcript === undefined || !this.#view.atEnd()
      ? mirror
      : { ...mirror, transcript: trimTurns(transcript) };
  }

  #publish(mirror: Mirror, passing = false): void {
    this.#mirror = mirror;
    this.#view.mirror(mirror, passing);
  }
}

/** `next` of a page of turns names a turn: the one before which the next page ends. */
function olderOf(page: {
  readonly next?: string | undefined;
  readonly items: readonly { readonly turn: TurnId }[];
}) {
  return page.next === undefined ? undefined : page.items[0]?.turn;
}
