/**
 * Files that a person looks back at: how they are now, and how they are put back. A file is only touched while
 * it holds exactly what the agent left there.
 */
import { createHash } from 'node:crypto';
import { FILE_BYTES } from '../../../protocol';
import { openFile, removeFile, replaceFile, versionOf, type FileVersion } from '../../base/effects';
import { CordPulled, type Launch } from '../../base/launch';
import { FileUnsaved, unlessUnsaved, type Unsaved } from '../../base/unsaved';
import type { FilePort, FileNow } from '../../engine/filePort';

/** Reading is no effect on the outside. */
const looking: Launch = (effect) => effect();

type Found = { readonly kind: 'file'; readonly hash: string; readonly version: FileVersion };

export const createFiles = (unsaved: Unsaved): FilePort => ({
  async now(path) {
    const found = await look(path);
    return found.kind === 'file' ? { kind: 'file', hash: found.hash } : found;
  },
  async content(path) {
    const now = await read(path);
    return now.kind === 'file' ? { kind: 'file', bytes: now.bytes } : now;
  },
  async putBack(launch, { path, expected, before }) {
    const found = await look(path);
    const isAsLeft =
      found.kind === 'file' ? found.hash === expected : found.kind === 'missing' && expected === undefined;
    if (!isAsLeft) return { ok: false, refusal: refusalOf(found) };
    const version = found.kind === 'file' ? found.version : undefined;
    try {
      const guarded = unlessUnsaved(launch, unsaved, path);
      if (before !== undefined)
        await replaceFile(guarded, { path, bytes: Buffer.from(before), expected: version });
      else if (version !== undefined) removeFile(guarded, path, version);
      return { ok: true };
    } catch (error) {
      if (error instanceof FileUnsaved) return { ok: false, refusal: 'unsaved' };
      if (error instanceof CordPulled) return { ok: false, refusal: 'host_paused' };
      return {
        ok: false,
        refusal: 'not_written',
        detail: error instanceof Error ? error.message : String(error),
      };
    }
  },
});

function refusalOf(found: FileNow): 'missing' | 'unreadable' | 'edited_since' {
  return found.kind === 'file' ? 'edited_since' : found.kind;
}

async function look(path: string): Promise<Found | Exclude<FileNow, { kind: 'file' }>> {
  const now = await read(path);
  if (now.kind !== 'file') return now;
  const hash = createHash('sha256').update(now.bytes).digest('hex');
  return { kind: 'file', hash, version: now.version };
}

/** The text of a file as it is now, where it is one. */
export async function textNow(
  path: string,
): Promise<{ readonly kind: 'text'; readonly text: string } | Exclude<FileNow, { kind: 'file' }>> {
  const now = await read(path);
  if (now.kind !== 'file') return now;
  return now.bytes.includes(0) ? { kind: 'unreadable' } : { kind: 'text', text: now.bytes.toString('utf8') };
}

type Read = { readonly kind: 'file'; readonly bytes: Buffer; readonly version: FileVersion };

async function read(path: string): Promise<Read | Exclude<FileNow, { kind: 'file' }>> {
  try {
    const handle = await openFile(looking, path);
    try {
      const stats = await handle.stat({ bigint: true });
      if (stats.size > BigInt(FILE_BYTES)) return { kind: 'unreadable' };
      return { kind: 'file', bytes: await handle.readFile(), version: versionOf(stats) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const gone =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return { kind: gone ? 'missing' : 'unreadable' };
  }
}
