/** Something with an end. `dispose` is harmless when called again. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/** Owns disposables and ends them in reverse order; late arrivals are ended at once. */
export class DisposableStack implements Disposable {
  private readonly owned: Disposable[] = [];
  private ended = false;

  add<T extends Disposable>(item: T): T {
    if (this.ended) void item.dispose();
    else this.owned.push(item);
    return item;
  }

  async dispose(): Promise<void> {
    this.ended = true;
    const failures: unknown[] = [];
    for (let item = this.owned.pop(); item !== undefined; item = this.owned.pop()) {
      try {
        await item.dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Some resources could not be closed.');
  }
}

/** Builds something on what the stack owns; when that fails, what stands by then is ended first. */
export async function built<T>(build: (owned: DisposableStack) => Promise<T>): Promise<T> {
  const owned = new DisposableStack();
  try {
    return await build(owned);
  } catch (error) {
    // Why it failed is what counts, not what else failed at its end.
    await owned.dispose().catch(() => undefined);
    throw error;
  }
}
