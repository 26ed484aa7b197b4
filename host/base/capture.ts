/**
 * What is kept of a stream: its first and its last part, with the bytes between them counted (R10).
 * Owns the bytes that it was given. 1. It never holds more than its limit and one piece. 2. Texts taken from
 * it never begin or end within a UTF-8 character; bytes that are none are replaced.
 */

/** A UTF-8 character has at most this many bytes: no page is smaller, or it could be empty before the end. */
export const LONGEST_CHARACTER = 4;
/** Pieces up to this size are joined, so that a stream of single bytes costs no object for each. */
const JOINED_BYTES = 4_096;

export class Capture {
  /** Bytes that came in all. */
  total = 0;
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private readonly half: number;
  /** Nothing is added to the first part any more: something behind it is missing. */
  private isHeadWhole = false;

  constructor(limit: number) {
    this.half = Math.floor(limit / 2);
  }

  add(bytes: Buffer): void {
    this.total += bytes.length;
    const room = this.isHeadWhole ? 0 : this.half - this.headBytes;
    if (room > 0) {
      const first = bytes.subarray(0, room);
      append(this.head, first);
      this.headBytes += first.length;
    }
    if (bytes.length > room) this.addToTail(bytes.subarray(Math.max(0, room)));
  }

  /** Counts bytes that were lost before they came here: what is kept of the time before is the first part alone. */
  skip(bytes: number): void {
    if (bytes <= 0) return;
    this.isHeadWhole = true;
    this.tail = [];
    this.tailBytes = 0;
    this.total += bytes;
  }

  /** Bytes between the first and the last part, which are gone. */
  get omitted(): number {
    return this.total - this.headBytes - Math.min(this.tailBytes, this.half);
  }

  /**
   * The text for a reader that may have `limit` bytes: all of it, or its first and last half with a line
   * between them that says how many bytes are missing.
   */
  shown(limit: number): { readonly text: string; readonly omitted: number } {
    if (this.total <= limit && this.omitted === 0) {
      return { text: this.slice(0, this.total).toString('utf8'), omitted: 0 };
    }
    const half = Math.floor(Math.min(limit, this.half * 2) / 2);
    const tailFrom = this.total - Math.min(this.tailBytes, this.half);
    const isGap = tailFrom > this.headBytes;
    const head = beforeCharacter(this.slice(0, isGap ? Math.min(half, this.headBytes) : half));
    const tail = afterCharacter(
      this.slice(isGap ? Math.max(tailFrom, this.total - half) : this.total - half, this.total),
    );
    const omitted = this.total - head.length - tail.length;
    return {
      text: `${head.toString('utf8')}\n[… ${omitted} bytes omitted …]\n${tail.toString('utf8')}`,
      omitted,
    };
  }

  /**
   * Up to `limit` bytes from `offset`, counted over everything that came. When those bytes are gone, it begins
   * at the next that are kept; `offset` of the answer says where.
   */
  read(
    offset: number,
    limit: number,
  ): { readonly text: string; readonly offset: number; readonly total: number } {
    const tailFrom = this.total - Math.min(this.tailBytes, this.half);
    const isGap = tailFrom > this.headBytes;
    const from = isGap && offset >= this.headBytes ? Math.max(offset, tailFrom) : offset;
    if (from >= this.total) return { text: '', offset: this.total, total: this.total };
    const end = isGap && from < this.headBytes ? this.headBytes : this.total;
    const until = Math.min(end, from + Math.max(limit, LONGEST_CHARACTER));
    const bytes = this.slice(from, until);
    const begun = afterCharacter(bytes);
    const text = until === this.total ? begun : beforeCharacter(begun);
    // All that is left of the first part is the beginning of a character: go on behind the gap.
    if (text.length === 0 && until === end) return this.read(end, limit);
    return { text: text.toString('utf8'), offset: from + bytes.length - begun.length, total: this.total };
  }

  /** What is kept from `offset` on, as it came: what precedes the gap, the bytes that are gone, what follows. */
  since(offset: number): { readonly before: Buffer; readonly omitted: number; readonly after: Buffer } {
    const tailFrom = this.total - Math.min(this.tailBytes, this.half);
    const before = this.slice(offset, Math.max(offset, this.headBytes));
    const from = Math.max(offset, this.headBytes);
    const gap = Math.max(0, tailFrom - from);
    return { before, omitted: gap, after: this.slice(Math.max(from, tailFrom), this.total) };
  }

  /** Kept bytes from one position to another, both in the same part or touching parts. */
  private slice(from: number, until: number): Buffer {
    const tailFrom = this.total - this.tailBytes;
    const parts: Buffer[] = [];
    collect(this.head, 0, from, until, parts);
    collect(this.tail, tailFrom, Math.max(from, this.headBytes), until, parts);
    return parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
  }

  private addToTail(bytes: Buffer): void {
    append(this.tail, bytes.length > this.half ? bytes.subarray(bytes.length - this.half) : bytes);
    this.tailBytes += Math.min(bytes.length, this.half);
    let dropped = 0;
    for (let first = this.tail[dropped]; first !== undefined; first = this.tail[dropped]) {
      if (this.tailBytes - first.length < this.half) break;
      this.tailBytes -= first.length;
      dropped += 1;
    }
    if (dropped > 0) this.tail = this.tail.slice(dropped);
  }
}

function append(pieces: Buffer[], bytes: Buffer): void {
  const last = pieces.at(-1);
  if (last !== undefined && last.length + bytes.length <= JOINED_BYTES) {
    pieces[pieces.length - 1] = Buffer.concat([last, bytes]);
  } else if (bytes.length > 0) {
    pieces.push(bytes);
  }
}

function collect(
  pieces: readonly Buffer[],
  begin: number,
  from: number,
  until: number,
  into: Buffer[],
): void {
  let at = begin;
  for (const piece of pieces) {
    const start = Math.max(from - at, 0);
    const end = Math.min(until - at, piece.length);
    if (start < end) into.push(piece.subarray(start, end));
    at += piece.length;
  }
}

/** Up to `limit` bytes of a text from `offset`, in whole characters; `offset` of the answer is where it begins. */
export function pageOf(
  text: string,
  offset: number,
  limit: number,
): { readonly text: string; readonly offset: number; readonly total: number } {
  const bytes = Buffer.from(text);
  const from = Math.min(offset, bytes.length);
  const piece = bytes.subarray(from, from + Math.max(limit, LONGEST_CHARACTER));
  return { ...wholeCharacters(piece, from, bytes.length), total: bytes.length };
}

/** The whole characters of the bytes from `offset` on, out of `total`, and where they begin and end. */
export function wholeCharacters(
  piece: Buffer,
  offset: number,
  total: number,
): { readonly text: string; readonly offset: number; readonly next: number } {
  const begun = afterCharacter(piece);
  const from = offset + piece.length - begun.length;
  const whole = offset + piece.length === total ? begun : beforeCharacter(begun);
  return { text: whole.toString('utf8'), offset: from, next: from + whole.length };
}

/** Without the beginning of a character whose rest is cut off. */
export function beforeCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}

/** Without the rest of a character whose beginning is cut off. */
export function afterCharacter(bytes: Buffer): Buffer {
  let skip = 0;
  while (skip < Math.min(3, bytes.length) && ((bytes[skip] ?? 0) & 0xc0) === 0x80) skip += 1;
  return bytes.subarray(skip);
}
