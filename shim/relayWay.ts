/** Calls through files (C4): the request is published whole, its answer waited for, and both files are deleted after any answer. */
import { randomBytes } from 'node:crypto';
import { watch, type FSWatcher } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RELAY_POLL_MS } from '../protocol/limits';
import {
  answerFile,
  parseJson,
  readAnswer,
  relayId,
  requestFile,
  temporaryFile,
  type RelayAnswer,
  type RelayRequest,
} from '../protocol/relay';
import type { ShimCall, Way } from './way';

export function relayWay(dir: string, nonce: string, turn: string): Way {
  return {
    call: (call) => relayCall(dir, { nonce, turn }, call),
    close: () => undefined,
  };
}

async function relayCall(
  dir: string,
  from: { readonly nonce: string; readonly turn: string },
  call: ShimCall,
): Promise<RelayAnswer> {
  const toolCallId = call.callId ?? `call_${randomBytes(9).toString('hex')}`;
  const id = relayId(toolCallId);
  const wait = watchFor(dir, answerFile(id));
  try {
    const request: RelayRequest = { toolName: call.tool, toolCallId, args: call.args ?? {}, ...from };
    const final = join(dir, requestFile(id));
    const temporary = join(dir, temporaryFile(requestFile(id), randomBytes(9).toString('hex')));
    await writeFile(temporary, JSON.stringify(request));
    await rename(temporary, final);
    return await answered(join(dir, answerFile(id)), call, wait);
  } finally {
    wait.stop();
    await Promise.all([
      rm(join(dir, requestFile(id)), { force: true }),
      rm(join(dir, answerFile(id)), { force: true }),
    ]);
  }
}

/** Looks, then waits for a change or the next look; once more exactly at the deadline. */
async function answered(path: string, call: ShimCall, wait: Waiter): Promise<RelayAnswer> {
  const deadline = Date.now() + call.timeMs;
  for (;;) {
    const left = deadline - Date.now();
    const answer = await look(path);
    if (answer !== undefined) return answer;
    if (call.signal.aborted) throw new Error('aborted');
    if (left <= 0) throw new Error(`tool relay timed out for ${call.tool}`);
    await wait.next(Math.min(RELAY_POLL_MS, left), call.signal);
  }
}

async function look(path: string): Promise<RelayAnswer | undefined> {
  try {
    return readAnswer(parseJson(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

interface Waiter {
  /** Resolves at a change in the folder, after `ms`, or at an abort. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  stop(): void;
}

/** Armed before the first look, so that no answer falls between the two. */
function watchFor(dir: string, name: string): Waiter {
  let wake: () => void = () => undefined;
  let changed = false;
  const notice = (file: string | null): void => {
    if (file !== null && file !== name) return;
    changed = true;
    wake();
  };
  const watcher = tryWatch(dir, notice);
  return {
    next: (ms, signal) =>
      new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wake = () => undefined;
          changed = false;
          resolve();
        };
        const timer = setTimeout(done, ms);
        wake = done;
        signal.addEventListener('abort', done, { once: true });
        if (changed || signal.aborted) done();
      }),
    stop: () => watcher?.close(),
  };
}

/** Some shared folders cannot be watched: there the looks alone must do. */
function tryWatch(dir: string, notice: (file: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, (_kind, file) => notice(file));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
