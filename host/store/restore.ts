import { dirname } from 'node:path';
import type { DatabaseFiles } from './databaseFiles';
import { type FileOps, writeAll } from './files';

const COPY_BYTES = 1024 * 1024;

/** How a file is called until it is whole. A kill in the middle leaves one behind. */
export const FRESH = '.restored';

/**
 * Puts the files of an opened database back under their names, from the descriptors that are still open,
 * after another program removed or replaced them. A file that now has the database's name is kept as
 * `*.replaced-<inode>`.
 *
 * The log always becomes a new file, and with `moveMain` the database too, so that a program that still has
 * the old ones open cannot write into ours: at its end it would move what it saw of the log into the file,
 * over what came later. Throws the file system's error; the descriptors stay open either way.
 */
export function restoreFiles(database: DatabaseFiles, walEnd: number, moveMain: boolean): void {
  const files = database.files;
  const folder = dirname(database.path);
  files.makeFolder(folder);
  restoreMain(database, files, moveMain);
  const wal = database.get('wal');
  if (wal?.fd !== undefined) {
    const fresh = `${wal.path}${FRESH}`;
    copy(files, wal.fd, fresh, walEnd);
    files.rename(fresh, wal.path);
  }
  files.syncFolder(folder);
}

function restoreMain(database: DatabaseFiles, files: FileOps, move: boolean): void {
  const main = database.get('main');
  if (main?.fd === undefined) return;
  const named = files.isNamed(main.fd, main.path);
  if (named && !move) return;
  const other = named ? undefined : files.state(main.path);
  const fresh = `${main.path}${FRESH}`;
  copy(files, main.fd, fresh, files.stateOf(main.fd).size);
  if (other !== undefined) files.rename(main.path, `${main.path}.replaced-${other.inode}`);
  files.rename(fresh, main.path);
}

/** Removes what a kill in the middle of it left. */
export function sweepRestored(path: string, files: FileOps): void {
  for (const left of [`${path}${FRESH}`, `${path}-wal${FRESH}`]) {
    if (files.state(left) !== undefined) files.unlink(left);
  }
}

/** Copies `size` bytes of an open file to `path`, and forces them to the disk. */
export function copy(files: FileOps, from: number, path: string, size: number): void {
  const to = files.open(path, 'create');
  try {
    files.truncate(to, 0);
    const buffer = new Uint8Array(COPY_BYTES);
    for (let position = 0; position < size;) {
      const part = buffer.subarray(0, Math.min(COPY_BYTES, size - position));
      const got = files.read(from, part, position);
      if (got === 0) break;
      writeAll(files, to, part.subarray(0, got), position);
      position += got;
    }
    files.sync(to);
  } finally {
    files.close(to);
  }
}
