/** Bytes of the log's head, and of each frame's (https://sqlite.org/fileformat2.html#walformat). */
export const WAL_FRAME_HEAD_BYTES = 24;
export const WAL_HEAD_BYTES = 32;

/** What is gathered before it goes to the file; larger transactions go in pieces of this size. */
const BUFFER_BYTES = 128 * 1024;

type Write = (run: Uint8Array, position: number) => void;

/**
 * Gathers SQLite's small writes to the log, a head and a page for each frame, into one write per commit.
 *
 * A commit ends with a frame whose head carries the database's size; that frame goes to the file within
 * SQLite's own call, so a disk that refuses is told to SQLite, which then undoes the transaction. What was
 * gathered by a write that failed is dropped: it was part of a transaction that now ends.
 */
export class WalBuffer {
  private bytes: Uint8Array | undefined;
  private start = 0;
  private length = 0;
  private commitFrame = false;

  /** Takes bytes for `position`; throws what `write` throws. */
  write(bytes: Uint8Array, position: number, write: Write): void {
    const follows = this.length > 0 && this.start + this.length === position;
    if (!follows || this.length + bytes.byteLength > BUFFER_BYTES) this.flush(write);
    if (bytes.byteLength > BUFFER_BYTES) {
      write(bytes, position);
      return;
    }
    if (this.length === 0) this.start = position;
    this.bytes ??= new Uint8Array(BUFFER_BYTES);
    this.bytes.set(bytes, this.length);
    this.length += bytes.byteLength;
    if (bytes.byteLength === WAL_FRAME_HEAD_BYTES) this.commitFrame = endsCommit(bytes);
    else if (this.commitFrame) this.flush(write);
  }

  flush(write: Write): void {
    this.commitFrame = false;
    if (this.bytes === undefined || this.length === 0) return;
    const run = this.bytes.subarray(0, this.length);
    this.length = 0;
    write(run, this.start);
  }
}

/** Whether the field of a frame's head is filled that only the last frame of a commit fills. */
function endsCommit(head: Uint8Array): boolean {
  return head[4] !== 0 || head[5] !== 0 || head[6] !== 0 || head[7] !== 0;
}
