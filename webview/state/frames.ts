/**
 * Holds back what only streams until the next frame: nobody sees more, and a model that writes two hundred times
 * a second costs no more than the screen can show. A hidden page has no frames, and draws nothing.
 */
export class Frames<T> {
  #held: { readonly value: T } | undefined;
  #frame: number | undefined;

  constructor(private readonly show: (value: T) => void) {}

  /** Shown with the next frame, unless something newer comes before it. */
  soon(value: T): void {
    this.#held = { value };
    this.#frame ??= requestAnimationFrame(() => {
      const held = this.#held;
      this.#clear();
      if (held !== undefined) this.show(held.value);
    });
  }

  /** Shown now, in the place of what was held back. */
  now(value: T): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#clear();
    this.show(value);
  }

  #clear(): void {
    this.#frame = undefined;
    this.#held = undefined;
  }
}
