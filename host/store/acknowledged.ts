import type { Log } from '../base/log';
import { codeOf } from './errors';
import { type FileOps, writeAll } from './files';

const RECORD_BYTES = 16;
const MAGIC = 0xbe1a_ac4d;

/**
 * The number of the last acknowledged commit, kept beside the database and its log, so that a loss of what
 * was acknowledged is noticed at the next start (D2).
 *
 * Written after each sync and not synced itself: an older number only makes the check weaker. A failure to
 * write it is logged and never fails a commit.
 */
export class AcknowledgedFile {
  private fd: number | undefined;
  private readonly record = new Uint8Array(RECORD_BYTES);
  private readonly view = new DataView(this.record.buffer);
  private complained = false;

  constructor(
    private readonly path: string,
    private readonly files: FileOps,
    private readonly log: Log,
  ) {}

  /** 0 when there is none, or none that is whole. */
  read(): number {
    try {
      if (this.files.state(this.path) === undefined) return 0;
      const fd = this.files.open(this.path, 'read');
      try {
        if (this.files.read(fd, this.record, 0) < RECORD_BYTES) return 0;
      } finally {
        this.files.close(fd);
      }
      const commit = Number(this.view.getBigUint64(4));
      const whole = this.view.getUint32(0) === MAGIC && this.view.getUint32(12) === sum(commit);
      return whole ? commit : 0;
    } catch (error) {
      this.log(
        'warn',
        `The number of the last saved commit could not be read: ${codeOf(error) ?? String(error)}`,
      );
      return 0;
    }
  }

  write(commit: number): void {
    this.view.setUint32(0, MAGIC);
    this.view.setBigUint64(4, BigInt(commit));
    this.view.setUint32(12, sum(commit));
    try {
      this.fd ??= this.files.open(this.path, 'create');
      writeAll(this.files, this.fd, this.record, 0);
      this.complained = false;
    } catch (error) {
      if (this.complained) return;
      this.complained = true;
      this.log(
        'warn',
        `The number of the last saved commit could not be noted: ${codeOf(error) ?? String(error)}`,
      );
    }
  }

  close(): void {
    if (this.fd !== undefined) this.files.close(this.fd);
    this.fd = undefined;
  }
}

/** Tells a whole record from a torn one. */
function sum(commit: number): number {
  const low = commit % 0x1_0000_0000;
  const high = Math.floor(commit / 0x1_0000_0000);
  return (Math.imul(low ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(high + 1, 0xc2b2_ae35)) >>> 0;
}
