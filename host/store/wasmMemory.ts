/** A mark at the beginning of a text is part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The memory of the engine's WASM instance. It moves when it grows, so it is always reached through here. */
export class WasmMemory {
  private source: { readonly buffer: unknown } | undefined;
  private current: ArrayBufferLike | undefined;
  private viewOfAll = new DataView(new ArrayBuffer(0));
  private bytesOfAll = new Uint8Array(0);

  /** Finds the memory among what the instance exports; its name is minified. */
  attach(exports: Readonly<Record<string, unknown>>): void {
    const found = Object.values(exports).find(isMemory);
    if (found === undefined) throw new Error('The database engine exports no memory.');
    this.source = found;
  }

  get view(): DataView {
    this.refresh();
    return this.viewOfAll;
  }

  get bytes(): Uint8Array {
    this.refresh();
    return this.bytesOfAll;
  }

  /** The text from `pointer` to the next zero. */
  text(pointer: number): string {
    const bytes = this.bytes;
    return decoder.decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
  }

  textOf(pointer: number, length: number): string {
    return decoder.decode(this.bytes.subarray(pointer, pointer + length));
  }

  /** A copy: what lies there is the engine's. */
  copyOf(pointer: number, length: number): Uint8Array {
    return this.bytes.slice(pointer, pointer + length);
  }

  /** Writes a text and returns how many bytes it took, at most three per UTF-16 unit. */
  putText(value: string, pointer: number): number {
    return encoder.encodeInto(value, this.bytes.subarray(pointer, pointer + 3 * value.length)).written;
  }

  private refresh(): void {
    const buffer = this.source?.buffer;
    if (buffer === this.current || !(buffer instanceof ArrayBuffer)) return;
    this.current = buffer;
    this.viewOfAll = new DataView(buffer);
    this.bytesOfAll = new Uint8Array(buffer);
  }
}

function isMemory(value: unknown): value is { readonly buffer: unknown } {
  return (
    typeof value === 'object' && value !== null && 'buffer' in value && value.buffer instanceof ArrayBuffer
  );
}
