/** Reading files for tools: whole ones up to a limit, always through `base/effects.ts`. */
import { FILE_BYTES } from '../../../protocol';
import { openFile, versionOf, type FileHandle, type FileVersion } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { Located } from './paths';
import { decode, encodingOf, type Encoding } from './text';

/** Reading is no effect on the outside; used where a call is prepared, not run. */
export const looking: Launch = (effect) => effect();

/** A sentence for the model about a file that cannot be used as it was meant to be. */
export class Unusable extends Error {}

export interface WholeFile {
  readonly bytes: Buffer;
  readonly version: FileVersion;
  /** Nobody may write it. */
  readonly readOnly: boolean;
}

/** Throws `Unusable` for what is no regular file or is larger than `FILE_BYTES`. */
export async function readWhole(launch: Launch, at: Located): Promise<WholeFile> {
  refuseNoFile(at);
  const handle = await openFile(launch, at.real);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > FILE_BYTES) {
      throw new Unusable(
        `${at.shown} has ${String(stats.size)} bytes; this tool takes at most ${FILE_BYTES}.`,
      );
    }
    return {
      bytes: await readBytes(handle, 0, Number(stats.size)),
      version: versionOf(stats),
      readOnly: (stats.mode & 0o222n) === 0n,
    };
  } finally {
    await handle.close();
  }
}

/** The text of a file, or `Unusable` for a binary one. */
export function asText(bytes: Buffer, at: Located): { readonly text: string; readonly encoding: Encoding } {
  const encoding = encodingOf(bytes, true);
  if (encoding === undefined) throw new Unusable(`${at.shown} is a binary file of ${bytes.length} bytes.`);
  return { text: decode(bytes, encoding), encoding };
}

export function refuseNoFile(at: Located): void {
  if (at.kind === 'missing') throw new Unusable(`${at.shown} does not exist.`);
  if (at.kind === 'folder') throw new Unusable(`${at.shown} is a folder, not a file.`);
  if (at.kind === 'other')
    throw new Unusable(`${at.shown} is no regular file (a pipe, a socket or a device).`);
}

/** A swap by rename would not ask the file itself. */
export function refuseReadOnly(file: WholeFile, at: Located): void {
  if (file.readOnly) throw new Unusable(`${at.shown} is read-only. Nothing was written.`);
}

/** Reads up to `length` bytes from `offset`; fewer when the file ends. */
export async function readBytes(handle: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  while (at < length) {
    const { bytesRead } = await handle.read(bytes, at, length - at, offset + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
