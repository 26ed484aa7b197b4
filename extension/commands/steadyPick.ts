import type { Clock } from '../clock';

/** What is chosen within this time after the list has changed was meant for what stood there before, ms. */
const SETTLE_MS = 500;

/** Of a quick pick what filling it touches. */
interface Picker<T> {
  items: readonly T[];
  activeItems: readonly T[];
  keepScrollPosition?: boolean;
}

/**
 * Fills a quick pick that stays open while its list changes. VS Code makes the first item active whenever items are
 * set: this keeps the person on the one that they were on, and tells a choice that the change may have turned.
 */
export class SteadyPick<T> {
  private keys: string | undefined;
  private changedAt = -Infinity;

  constructor(
    private readonly picker: Picker<T>,
    private readonly keyOf: (item: T) => string,
    private readonly clock: Clock,
  ) {
    picker.keepScrollPosition = true;
  }

  /** Whether what is chosen now is what the person has seen. */
  get settled(): boolean {
    return this.clock.now() - this.changedAt >= SETTLE_MS;
  }

  /** Items with the same keys are the same list, whatever else has changed. */
  fill(items: readonly T[]): void {
    const keys = JSON.stringify(items.map(this.keyOf));
    if (keys === this.keys) return;
    const active = this.picker.activeItems.map(this.keyOf);
    this.picker.items = items;
    const same = items.filter((item) => active.includes(this.keyOf(item)));
    if (same.length > 0) this.picker.activeItems = same;
    if (this.keys !== undefined) this.changedAt = this.clock.now();
    this.keys = keys;
  }
}
