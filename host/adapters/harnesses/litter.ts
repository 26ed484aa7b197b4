/**
 * Empty folders that an agent's sandbox leaves behind (measured: codex after an interrupt, or when a sandboxed
 * command still ran at the end of its turn). Only those go that were not there before, and only while empty.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from './outside';

const NAMES = ['.git', '.agents', '.aws', '.codex'];

/** The folders of these names that are not there now. */
export function absentNow(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const places = new Set([folder, tmpdir(), env['TMPDIR'] ?? tmpdir(), '/tmp']);
  return [...places].flatMap((place) =>
    NAMES.map((name) => join(place, name)).filter((path) => !existsSync(path)),
  );
}

export async function tidy(
  absentBefore: readonly string[],
  around: Pick<Surroundings, 'removeEmpty'>,
): Promise<void> {
  await Promise.all(absentBefore.filter((path) => existsSync(path)).map((path) => around.removeEmpty(path)));
}
