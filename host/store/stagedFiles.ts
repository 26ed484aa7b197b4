/**
 * Contents that are on their way into a job: written and synced off the loop, so that the job that names them only
 * looks up their names (D7). A row never names what is not on the disk, since the job comes after.
 *
 * Owns: the names of what was staged, until the job has taken them. Does not own: the files, which are swept like any
 * other when no row names them (a job that failed, a host that died in between).
 */
import { randomBytes, webcrypto } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Encoding = 'utf8' | 'base64';
export type Content = Uint8Array | { readonly text: string; readonly encoding: Encoding };

/** What is remembered of contents that no job took, bytes: a call that had ended otherwise drops its result. */
const STAGED_BYTES = 64 * 1024 * 1024;

interface Staged {
  readonly id: string;
  readonly bytes: number;
}

export interface Folders {
  /** Absolute path of the file of this name. */
  pathOf(id: string): string;
  /** Beginning of the names of files that are not whole yet. */
  readonly temporary: string;
  readonly fileMode: number;
  readonly folderMode: number;
}

export class StagedFiles {
  private readonly staged: Readonly<Record<Encoding | 'bytes', Map<Uint8Array | string, Staged>>> = {
    utf8: new Map(),
    base64: new Map(),
    bytes: new Map(),
  };
  private readonly writing = new Map<string, Promise<void>>();

  constructor(private readonly folders: Folders) {}

  /** The name of what was staged. It is forgotten behind the job that asks, which may ask more than once. */
  take(content: Content): string | undefined {
    const [map, key] = this.placeOf(content);
    const found = map.get(key);
    if (found === undefined) return undefined;
    queueMicrotask(() => map.delete(key));
    return found.id;
  }

  /** Whether it is on its way into a job: it has no row yet, and is not to be swept. */
  has(id: string): boolean {
    return this.writing.has(id) || this.all().some(([, , one]) => one.id === id);
  }

  /** It may be seen before its folder is synced. */
  isWriting(id: string): boolean {
    return this.writing.has(id);
  }

  /** Resolves when it is on the disk. Rejects when the disk refuses; then a job writes it itself, or is refused. */
  async stage(content: Content): Promise<void> {
    const bytes = bytesOf(content);
    const digest = await webcrypto.subtle.digest('SHA-256', bytes);
    const id = Buffer.from(digest).toString('hex');
    const under = this.writing.get(id) ?? this.write(id, bytes);
    this.writing.set(id, under);
    try {
      await under;
      const [map, key] = this.placeOf(content);
      map.set(key, { id, bytes: bytes.byteLength });
    } finally {
      // Only now: a sweep in between would find it nowhere, and remove what the next job names.
      if (this.writing.get(id) === under) this.writing.delete(id);
    }
    this.forget();
  }

  private async write(id: string, bytes: Uint8Array): Promise<void> {
    const { temporary, fileMode, folderMode } = this.folders;
    const path = this.folders.pathOf(id);
    if (await holds(path, bytes)) return;
    const folder = dirname(path);
    await makeFolder(folder, folderMode);
    const fresh = join(folder, `${temporary}${randomBytes(8).toString('hex')}`);
    try {
      const file = await open(fresh, 'wx', fileMode);
      try {
        await file.writeFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
      await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
    await syncFolder(folder);
  }

  /** The oldest of their kind first, until what is left is little enough. */
  private forget(): void {
    const all = this.all();
    let bytes = all.reduce((sum, [, , one]) => sum + one.bytes, 0);
    for (const [map, key, one] of all) {
      if (bytes <= STAGED_BYTES) return;
      map.delete(key);
      bytes -= one.bytes;
    }
  }

  /** Texts are known by what they say, bytes by where they are: who stages them hands over the same ones. */
  private placeOf(content: Content): readonly [Map<Uint8Array | string, Staged>, Uint8Array | string] {
    return content instanceof Uint8Array
      ? [this.staged.bytes, content]
      : [this.staged[content.encoding], content.text];
  }

  private all() {
    return Object.values(this.staged).flatMap((map) =>
      [...map].map(([key, one]) => [map, key, one] as const),
    );
  }
}

export const bytesOf = (content: Content): Uint8Array =>
  content instanceof Uint8Array ? content : Buffer.from(content.text, content.encoding);

async function holds(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    return (await readFile(path)).equals(bytes);
  } catch {
    return false;
  }
}

/** Makes a folder and those above it that are missing; each new name is on the disk when it resolves. */
async function makeFolder(path: string, mode: number): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode });
  if (first === undefined) return;
  const highest = dirname(first);
  for (let above = dirname(path); above.length >= highest.length; above = dirname(above)) {
    await syncFolder(above);
    if (above === highest) return;
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
