/** The program of codex: its native binary, since npm's wrapper forwards only the first signal (H4). */
import { basename, dirname, join } from 'node:path';
import { findProgram } from '../../base/programs';
import { firstFile, followed } from './find';
import type { Surroundings } from './outside';

const TRIPLES: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
};

type Around = Pick<Surroundings, 'settings' | 'env' | 'platform' | 'arch'>;

export function codexProgram(around: Around): string | undefined {
  const found = findProgram(around.settings().codex?.path ?? 'codex', around.env, around.platform);
  return found === undefined ? undefined : (nativeBinary(found, around) ?? found);
}

/** The binary behind npm's wrapper, in the package for this platform beside it or below it. */
function nativeBinary(path: string, { platform, arch }: Around): string | undefined {
  const wrapper = followed(path);
  const triple = TRIPLES[`${platform}-${arch}`];
  if (basename(wrapper) !== 'codex.js' || triple === undefined) return undefined;
  const root = dirname(dirname(wrapper));
  const inside = join('vendor', triple, 'bin', platform === 'win32' ? 'codex.exe' : 'codex');
  const name = `codex-${platform}-${arch}`;
  return firstFile([
    join(dirname(root), name, inside),
    join(root, 'node_modules', '@openai', name, inside),
    join(root, inside),
  ]);
}

export const CODEX_INSTALL = 'npm install -g @openai/codex';

/** Kept out of codex's own commands, and of its own output. */
export const codexEnv = (around: Pick<Surroundings, 'settings'>): Readonly<Record<string, string>> =>
  around.settings().codex?.env ?? {};
