import { dirname } from 'node:path';
import type { DatabaseFiles } from './databaseFiles';
import { type FileOps, writeAll } from './files';

const COPY_BYTES = 1024 * 1024;

/**
 * Puts the files of an opened database back under their names, from the descriptors that are still open,
 * after another program removed or replaced them. A file that now has the database's name is kept as
 * `*.replaced-<inode>`. The log always becomes a new file, so that a program that holds the old one open
 * cannot write into ours. Throws the file system's error; the descriptors stay open either way.
 */
export function restoreFiles(database: DatabaseFiles, walEnd: number): void {
  const files = database.files;
  const folder = dirname(database.path);
  files.makeFolder(folder);
  restoreMain(database, files);
  const wal = database.get('wal');
  if (wal?.fd !== undefined) {
    const fresh = `${wal.path}.restored`;
    copy(files, wal.fd, fresh, walEnd);
    files.rename(fresh, wal.path);
  }
  files.syncFolder(folder);
}

function restoreMain(database: DatabaseFiles, files: FileOps): void {
  const main = database.get('main');
  if (main?.fd === undefined) return;
  if (files.isNamed(main.fd, main.path)) return;
  const ours = files.stateOf(main.fd);
  const named = files.state(main.path);
  const fresh = `${main.path}.restored`;
  copy(files, main.fd, fresh, ours.size);
  if (named !== undefined) files.rename(main.path, `${main.path}.replaced-${named.inode}`);
  files.rename(fresh, main.path);
}

function copy(files: FileOps, from: number, path: string, size: number): void {
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
