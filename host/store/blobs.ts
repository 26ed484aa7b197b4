import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, fromFileError, storeDamaged, StoreMisuse } from './errors';

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
 * Put first, commit the id after: a blob without a row is only wasted space, which a sweep removes. Not for
 * secrets, and never changed once written. Every method rejects with StoreError when the disk refuses.
 */
export class Blobs {
  private readonly root: string;

  constructor(dir: string) {
    this.root = join(dir, FOLDER);
  }

  /** Resolves with the id once the bytes are on the disk. The same bytes are kept once. */
  async put(bytes: Uint8Array): Promise<BlobId> {
    const id = createHash('sha256').update(bytes).digest('hex');
    try {
      if (await this.has(id, bytes.byteLength)) return id;
      const folder = this.folderOf(id);
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      const fresh = join(folder, `${TEMPORARY}${randomBytes(8).toString('hex')}`);
      try {
        await writeSafely(fresh, bytes);
        await rename(fresh, this.pathOf(id));
      } catch (error) {
        await removeIfThere(fresh);
        throw error;
      }
      await syncFolder(folder);
      return id;
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /**
   * `limit` bytes from `offset` on, fewer at the end; the whole without them, checked against its id.
   * Undefined when there is no such blob. Rejects with `store_damaged` when the whole is not what it was.
   */
  async get(id: BlobId, offset = 0, limit?: number): Promise<Uint8Array | undefined> {
    try {
      const file = await open(this.pathOf(id), 'r');
      try {
        const { size } = await file.stat();
        const bytes = new Uint8Array(Math.max(0, Math.min(size - offset, limit ?? size)));
        for (let done = 0; done < bytes.byteLength;) {
          const { bytesRead } = await file.read(bytes, done, bytes.byteLength - done, offset + done);
          if (bytesRead === 0) return bytes.subarray(0, done);
          done += bytesRead;
        }
        if (bytes.byteLength === size && offset === 0) check(id, bytes);
        return bytes;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fromFileError(error);
    }
  }

  /** Size in bytes; undefined when there is no such blob. */
  async size(id: BlobId): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(id))).size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw fromFileError(error);
    }
  }

  /** Removes these; one that is not there is no error. */
  async remove(ids: Iterable<BlobId>): Promise<void> {
    try {
      for (const id of ids) await removeIfThere(this.pathOf(id));
    } catch (error) {
      throw fromFileError(error);
    }
  }

  /** Every blob, and what a crash left half written is removed. Call it before the first `put` of a host. */
  async list(): Promise<BlobId[]> {
    const ids: BlobId[] = [];
    try {
      for (const part of await namesIn(this.root)) {
        for (const name of await namesIn(join(this.root, part))) {
          if (name.startsWith(TEMPORARY)) await removeIfThere(join(this.root, part, name));
          else if (ID.test(name)) ids.push(name);
        }
      }
      return ids;
    } catch (error) {
      throw fromFileError(error);
    }
  }

  private async has(id: BlobId, size: number): Promise<boolean> {
    return (await this.size(id)) === size;
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
  if (found !== id) throw storeDamaged(`The blob ${id} holds other bytes.`);
}

async function writeSafely(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
