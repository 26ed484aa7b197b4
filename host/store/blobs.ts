import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readSync,
  renameSync,
  fstatSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf, DamagedBlob, fromFileError, StoreMisuse } from './errors';
import { bytesOf, StagedFiles, type Content } from './stagedFiles';

/** Name of the folder beside the database. */
const FOLDER = 'blobs';
const ID = /^[0-9a-f]{64}$/;
const TEMPORARY = '.new-';
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The sha256 of the bytes, in hexadecimal. */
export type BlobId = string;

/**
 * Large results and pictures: files named by what they hold, beside the database (D7), at
 * `blobs/<first two digits>/<id>`.
 *
 * Put inside the job that commits its id: a blob without a row is only wasted space, which a sweep removes. What was
 * staged before is on the disk by then, and costs the job nothing. Not for secrets, and never changed once written.
 * Every method throws StoreError when the disk refuses.
 */
export class Blobs {
  private readonly root: string;
  private readonly files: StagedFiles;

  constructor(dir: string) {
    this.root = join(dir, FOLDER);
    const pathOf = (id: BlobId): string => this.pathOf(id);
    this.files = new StagedFiles({
      pathOf,
      temporary: TEMPORARY,
      fileMode: FILE_MODE,
      folderMode: FOLDER_MODE,
    });
  }

  /** Writes them off the loop for a job to come. Never rejects: what the disk refuses now meets the job that puts it. */
  async stage(contents: readonly Content[]): Promise<void> {
    await Promise.all(contents.map((content) => this.files.stage(content).catch(() => undefined)));
  }

  /** On its way into a job: it is no leftover although no row names it. */
  isStaged(id: BlobId): boolean {
    return this.files.has(id);
  }

  /** The id of the bytes, which are on the disk when this returns. The same bytes are kept once. */
  put(content: Content): BlobId {
    return this.files.take(content) ?? this.write(bytesOf(content));
  }

  /**
   * `limit` bytes from `offset` on, fewer at the end; the whole without them, checked against its id.
   * Undefined when there is no such blob. Throws DamagedBlob when the whole is not what it was.
   */
  get(id: BlobId, offset = 0, limit?: number): Uint8Array | undefined {
    try {
      const file = openSync(this.pathOf(id), 'r');
      try {
        const { size } = fstatSync(file);
        const bytes = new Uint8Array(Math.max(0, Math.min(size - offset, limit ?? size)));
        for (let done = 0; done < bytes.byteLength;) {
          const read = readSync(file, bytes, done, bytes.byteLength - done, offset + done);
          if (read === 0) return bytes.subarray(0, done);
          done += read;
        }
        if (bytes.byteLength === size && offset === 0) check(id, bytes);
        return bytes;
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fromFileError(error);
    }
  }

  /** Size in bytes; undefined when there is no such blob. */
  size(id: BlobId): number | undefined {
    try {
      return statSync(this.pathOf(id)).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fromFileError(error);
    }
  }

  /** Removes these; one that is not there is no error. */
  remove(ids: Iterable<BlobId>): void {
    try {
      for (const id of ids) removeIfThere(this.pathOf(id));
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** Every blob, and what a crash left half written is removed. Call it before the first `put` of a host. */
  list(): BlobId[] {
    const ids: BlobId[] = [];
    try {
      for (const part of namesIn(this.root)) {
        for (const name of namesIn(join(this.root, part))) {
          if (name.startsWith(TEMPORARY)) removeIfThere(join(this.root, part, name));
          else if (ID.test(name)) ids.push(name);
        }
      }
      return ids;
    } catch (error) {
      throw fromFileError(error);
    }
  }

  private write(bytes: Uint8Array): BlobId {
    const id = createHash('sha256').update(bytes).digest('hex');
    try {
      if (!this.files.isWriting(id) && this.holds(id, bytes)) return id;
      const folder = this.folderOf(id);
      makeFolder(folder);
      const fresh = join(folder, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
      try {
        writeSafely(fresh, bytes);
        renameSync(fresh, this.pathOf(id));
      } catch (error) {
        removeIfThere(fresh);
        throw error;
      }
      syncFolder(folder);
      return id;
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** The bytes are there already, undamaged. What is not is written anew. */
  private holds(id: BlobId, bytes: Uint8Array): boolean {
    if (this.size(id) !== bytes.byteLength) return false;
    try {
      return readFileSync(this.pathOf(id)).equals(bytes);
    } catch {
      return false;
    }
  }

  private folderOf(id: BlobId): string {
    return join(this.root, id.slice(0, 2));
  }

  /** An id never leads out of the folder. */
  private pathOf(id: BlobId): string {
    if (!ID.test(id)) throw new StoreMisuse(`${id} is no blob.`);
    return join(this.folderOf(id), id);
  }
}

function check(id: BlobId, bytes: Uint8Array): void {
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== id) throw new DamagedBlob();
}

function writeSafely(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx', FILE_MODE);
  try {
    writeFileSync(file, bytes);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes a folder and those above it that are missing; each new name is on the disk when this returns. */
function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  const highest = dirname(first);
  for (let above = dirname(path); above.length >= highest.length; above = dirname(above)) {
    syncFolder(above);
    if (above === highest) return;
  }
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
