/**
 * Decides which requests are announced by a notification, and when. It knows time and needs, and no editor.
 *
 * 1. A request is announced at most once in its life. A notification that closes, by itself or by the person,
 *    changes nothing: the request goes on waiting in the tree.
 * 2. Only a request that is still open 500 ms after it came, and that nobody can see already, is announced: what
 *    a rule or a quick click answers never flashes.
 * 3. Those that come within that time are announced together.
 * 4. A view that is open is no proof that it draws: one that is to show a request has two seconds more to say so.
 */
import type { Need } from '../../protocol';
import { needKey } from '../../protocol/needKey';
import type { Clock } from '../clock';

/** How long a request must be open before it is announced, ms. */
export const ANNOUNCE_AFTER_MS = 500;

/** How long a view in front of the person may take to draw it, ms: a window at start takes a second. */
export const DRAWN_WITHIN_MS = 2_000;

export interface AnnouncerOptions {
  readonly clock: Clock;
  /** The person has asked for notifications. */
  wanted(): boolean;
  /** A surface that shows this request is in front of the person. */
  visible(need: Need): boolean;
  /** A surface that is in front of the person is to show this request, and has not said yet that it does. */
  awaited(need: Need): boolean;
  announce(needs: readonly Need[]): void;
}

export class Announcer {
  /** Every request that was seen, by id and number: an announced-again one counts as new. */
  private readonly seen = new Map<string, Need>();
  private due = new Set<string>();
  private callOff: (() => void) | undefined;
  /** One for each time that a view was given more time. */
  private readonly awaiting = new Set<() => void>();

  constructor(private readonly options: AnnouncerOptions) {}

  /** The list as it stands now. */
  follow(needs: readonly Need[]): void {
    const open = new Map(needs.map((need) => [needKey(need), need]));
    for (const key of this.seen.keys()) if (!open.has(key)) this.seen.delete(key);
    for (const key of this.due) if (!open.has(key)) this.due.delete(key);
    for (const [key, need] of open) {
      if (!this.seen.has(key)) this.due.add(key);
      this.seen.set(key, need);
    }
    if (this.due.size > 0) this.callOff ??= this.options.clock.after(ANNOUNCE_AFTER_MS, () => this.ring());
  }

  dispose(): void {
    this.callOff?.();
    this.callOff = undefined;
    for (const callOff of this.awaiting) callOff();
    this.awaiting.clear();
  }

  private ring(): void {
    this.callOff = undefined;
    const { due } = this;
    this.due = new Set();
    const unseen = this.unseenOf(due);
    const awaited = unseen.filter((need) => this.options.awaited(need));
    if (awaited.length > 0) this.await(new Set(awaited.map(needKey)));
    this.announce(unseen.filter((need) => !awaited.includes(need)));
  }

  private await(keys: ReadonlySet<string>): void {
    const callOff = this.options.clock.after(DRAWN_WITHIN_MS, () => {
      this.awaiting.delete(callOff);
      this.announce(this.unseenOf(keys));
    });
    this.awaiting.add(callOff);
  }

  private unseenOf(keys: ReadonlySet<string>): readonly Need[] {
    if (!this.options.wanted()) return [];
    const needs = [...keys].flatMap((key) => this.seen.get(key) ?? []);
    return needs.filter((need) => !this.options.visible(need));
  }

  private announce(needs: readonly Need[]): void {
    if (needs.length > 0) this.options.announce(needs);
  }
}
