/** Which files the words of a command name, so that a rule for further words stays in its folder (A10). */
import { resolve } from 'node:path';
import { furtherHead, pathsIn } from '../../engine/approvals/further';
import type { CommandReading, NamedFile } from '../../engine/approvals/reading';
import { isWithin, realPath } from './paths';

/** Words of one command whose way is followed; one with more is asked for. */
const WORDS_MOST = 256;

/** Of commands that may be allowed with further words, and else none. Only reads; never rejects. */
export async function namedFiles(
  reading: CommandReading,
  folder: string,
): Promise<{ readonly files?: readonly NamedFile[] }> {
  const parts = reading.kind === 'parsed' ? reading.parts : [];
  const words = parts.filter((part) => furtherHead(part) !== undefined).flatMap((part) => part.words);
  const names = [...new Set(words.flatMap((word) => (typeof word === 'string' ? pathsIn(word) : [])))];
  if (names.length === 0) return {};
  const real = await followed(resolve(folder));
  const files = await Promise.all(
    names.map(async (name, at) => {
      const path = at < WORDS_MOST ? await followed(resolve(folder, name)) : undefined;
      return { name, path: path ?? name, inside: path !== undefined && isWithin(real ?? folder, path) };
    }),
  );
  return { files: files.filter(({ name, path, inside }) => !inside || resolve(folder, name) !== path) };
}

/** Undefined where the way cannot be followed. */
const followed = (path: string): Promise<string | undefined> => realPath(path).catch(() => undefined);
