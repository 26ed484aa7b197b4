/**
 * Decides which requests are announced by a notification, and when. It knows time and needs, and no editor.
 *
 * 1. A request is announced at most once in its life. A notification that closes, by itself or by the person,
 *    changes nothing: the request goes on waiting in the tree.
 * 2. Only a request that is still open 500 ms after it came, and that nobody can see already, is announced: what
 *    a rule or a quick click answers never flashes.
 * 3. Those that come within that time are announced together.
 */
import type { Need } from '../../protocol';
import type { Clock } from '../clock';
import { needOf } from '../views/needsModel';

/** How long a request must be open before it is announced, ms. */
export const ANNOUNCE_AFTER_MS = 500;

export interface AnnouncerOptions {
  readonly clock: Clock;
  /** The person has asked for notifications. */
  wanted(): boolean;
  /** A surface that shows this request is in front of the person. */
  visible(need: Need): boolean;
  announce(needs: readonly Need[]): void;
}

export class Announcer {
  /** Every request that was seen, by id and number: an announced-again one counts as new. */
  private readonly seen = new Map<string, Need>();
  private due = new Set<string>();
  private callOff: (() => void) | undefined;

  constructor(private readonly options: AnnouncerOptions) {}

  /** The list as it stands now. */
  follow(needs: readonly Need[]): void {
    const open = new Map(needs.map((need) => [keyOf(need), need]));
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
  }

  private ring(): void {
    this.callOff = undefined;
    const needs = [...this.due].flatMap((key) => this.seen.get(key) ?? []);
    this.due = new Set();
    if (!this.options.wanted()) return;
    const unseen = needs.filter((need) => !this.options.visible(need));
    if (unseen.length > 0) this.options.announce(unseen);
  }
}

function keyOf(need: Need): string {
  return need.kind === 'approval' ? `${need.approval.id}/${need.approval.request}` : needOf(need).id;
}
