/**
 * The secret by which the ACP processes of one store know each other, so that a second one joins the host of the first
 * (D4). It lies in the store's folder, which no tool can name, in a file that is this user's alone.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;
const NAME = 'acp.key';
const KEY = /^[0-9a-f]{64}$/;

/** Makes it when there is none. Throws where the folder cannot be written, or the file could be another user's. */
export function windowKey(storeDir: string): string {
  const path = join(storeDir, NAME);
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600 });
  try {
    // Whole at once, and never in the place of another: of two that make it together the first one's stands.
    linkSync(own, path);
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    rmSync(own);
  }
  return read(path);
}

function read(path: string): string {
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new Error(`${path} can be read by other users: remove it.`);
  const key = readFileSync(path, 'utf8');
  if (!KEY.test(key)) throw new Error(`${path} holds no key: remove it.`);
  return key;
}

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST';
