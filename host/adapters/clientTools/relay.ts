/**
 * The host's side of the file relay (C4). Anything in the other place can write into the folder, so each request is
 * read as though it were forged.
 *
 * Owns: which requests have been picked up, and the answers under way. Does not own: the calls.
 * 1. A request is deleted when it is picked up and answered at most once for each time that it was published.
 * 2. Only names of the relay are touched. 3. No answer is written after `close`, but for one that is being written.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  answerFile,
  isRelayName,
  readRequest,
  RELAY_CALL_MS,
  RELAY_POLL_MOST_MS,
  RELAY_POLL_MS,
  relayId,
  requestFile,
  requestIdOf,
  temporaryFile,
  type RelayAnswer,
  type RelayRequest,
} from '../../../protocol';
import { publishFile, readPlainFile, removeFile, watchFolder } from '../../base/channels';
import type { Clock, Timer } from '../../base/clock';
import { CordPulled, type Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import type { AgentTools } from '../../engine/ports';
import { relayAnswer } from './answers';
import { isSame } from './socketChannel';

export interface RelayOptions {
  readonly tools: AgentTools;
  readonly dir: string;
  readonly nonce: string;
  readonly launch: Launch;
  readonly clock: Clock;
  readonly log: Log;
  /** A name for each temporary file. */
  readonly unique: () => string;
}

export interface Relay {
  /** Looks at the folder so far: how often it was woken, for measurements. */
  readonly wakes: number;
  close(): Promise<void>;
}

/** A listing that fails is tried again so often, after so long, ms. */
const LISTINGS = 3;
const LISTING_PAUSE_MS = 150;
/** Quiet looks before the pause between two grows. */
const GROW_AFTER = 5;
/** Files that are read, written or deleted at once: the folder may hold any number. */
const FILES_AT_ONCE = 16;
/** Calls under way; an agent of its own makes a few at once. */
const CALLS = 64;
/** Largest request that is read, bytes: arguments are a prompt at most. */
const REQUEST_BYTES = 1024 * 1024;

/** Sweeps what an earlier turn left, then serves requests. Whatever appears once it has resolved is served. */
export async function serveRelay(options: RelayOptions): Promise<Relay> {
  await sweep(options);
  return new FileRelay(options);
}

async function sweep({ dir, launch, clock, log }: RelayOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const stale = (await readdir(dir)).filter(isRelayName);
      await fewAtOnce(stale, (name) => removeFile(launch, dir, name));
      if (stale.length > 0) log('info', `Swept ${String(stale.length)} leftovers from the relay's folder.`);
      return;
    } catch (error) {
      if (error instanceof CordPulled) throw error;
      if (attempt === LISTINGS) {
        log('warn', `The relay's folder could not be swept: ${String(error)}`);
        return;
      }
      await new Promise<void>((resolve) => clock.after(LISTING_PAUSE_MS, resolve));
    }
  }
}

class FileRelay implements Relay {
  wakes = 0;
  private closed = false;
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  private pauseMs = RELAY_POLL_MS;
  private quietLooks = 0;
  private timer: Timer | undefined;
  /** Requests that have been read; a name stays here until its file has been seen gone. */
  private readonly seen = new Set<string>();
  private readonly calls = new Map<string, AbortController>();
  private readonly writing = new Set<Promise<void>>();
  private readonly watcher: { dispose(): void } | undefined;

  constructor(private readonly options: RelayOptions) {
    this.watcher = watchFolder(options.dir, () => this.wake());
    this.wake();
  }

  /** Awaits what is being written and no acknowledgement: whoever waited there is what is being ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.timer?.clear();
    this.watcher?.dispose();
    await this.looking;
    for (const abort of this.calls.values()) abort.abort();
    await Promise.all(this.writing);
  }

  private wake(): void {
    if (this.closed) return;
    this.lookAgain = true;
    this.looking ??= this.look().finally(() => {
      this.looking = undefined;
    });
  }

  private async look(): Promise<void> {
    while (this.lookAgain && !this.closed) {
      this.lookAgain = false;
      this.wakes += 1;
      this.timer?.clear();
      const found = await this.listed();
      this.quietLooks = found ? 0 : this.quietLooks + 1;
      if (found) this.pauseMs = RELAY_POLL_MS;
      else if (this.watcher !== undefined) this.pauseMs = RELAY_POLL_MOST_MS;
      else if (this.quietLooks > GROW_AFTER) this.pauseMs = Math.min(this.pauseMs * 2, RELAY_POLL_MOST_MS);
    }
    if (!this.closed) this.timer = this.options.clock.after(this.pauseMs, () => this.wake());
  }

  /** Picks up what is new; true when there was something. */
  private async listed(): Promise<boolean> {
    let names: readonly string[];
    try {
      names = await readdir(this.options.dir);
    } catch (error) {
      this.options.log('warn', `The relay's folder could not be listed: ${String(error)}`);
      return false;
    }
    const ids = new Set(names.flatMap((name) => requestIdOf(name) ?? []));
    for (const id of this.seen) if (!ids.has(id)) this.seen.delete(id);
    // A request that could not be deleted is tried again, and never picked up a second time.
    const left = [...ids].filter((id) => this.seen.has(id));
    const fresh = [...ids].filter((id) => !this.seen.has(id));
    await fewAtOnce(fresh, (id) => this.pickUp(id));
    await fewAtOnce(left, (id) => this.remove(id));
    return fresh.length > 0;
  }

  private async pickUp(id: string): Promise<void> {
    if (this.closed) return;
    this.seen.add(id);
    const path = join(this.options.dir, requestFile(id));
    let request: RelayRequest | undefined;
    try {
      request = readRequest(await readPlainFile(this.options.launch, path, REQUEST_BYTES));
    } catch {
      // Whoever published it waits: it is told below.
    }
    await this.remove(id);
    const refusal = request === undefined ? 'the request could not be read' : this.refusalOf(id, request);
    if (request === undefined || refusal !== undefined) {
      this.options.log('warn', `A request of the relay was refused: ${refusal ?? ''}.`);
      await this.write(id, { ok: false, error: refusal ?? '' });
      return;
    }
    this.serve(id, request);
  }

  private refusalOf(id: string, request: RelayRequest): string | undefined {
    if (!isSame(request.nonce, this.options.nonce)) return 'it does not come from this agent';
    if (request.turn !== this.options.tools.turn) return 'it belongs to another turn';
    if (this.calls.size >= CALLS) return `more than ${String(CALLS)} calls are under way`;
    return relayId(request.toolCallId) === id ? undefined : 'its name is not that of its call';
  }

  /** Begun and not waited for: a slow call holds up no other. */
  private serve(id: string, request: RelayRequest): void {
    if (this.closed || this.calls.has(id)) return;
    const abort = new AbortController();
    this.calls.set(id, abort);
    const from = { callId: request.toolCallId, signal: abort.signal, limitMs: RELAY_CALL_MS };
    void this.options.tools.call(request.toolName, request.args, from).then((reply) => {
      this.calls.delete(id);
      const answer = abort.signal.aborted ? undefined : relayAnswer(reply);
      if (answer !== undefined) void this.write(id, answer);
    });
  }

  /** Settles, and never rejects, when it has been written or is lost. */
  private write(id: string, answer: RelayAnswer): Promise<void> {
    const { dir, launch, unique, log } = this.options;
    const name = answerFile(id);
    let start: Promise<void>;
    try {
      start = publishFile(launch, dir, name, temporaryFile(name, unique()), JSON.stringify(answer));
    } catch (error) {
      if (error instanceof CordPulled) return Promise.resolve();
      throw error;
    }
    const done = start.catch((error: unknown) => {
      // The other side will find that no answer came.
      if (!(error instanceof CordPulled)) log('warn', `An answer of the relay was lost: ${String(error)}`);
    });
    this.writing.add(done);
    return done.then(() => void this.writing.delete(done));
  }

  private async remove(id: string): Promise<void> {
    const { dir, launch, log } = this.options;
    try {
      await removeFile(launch, dir, requestFile(id));
    } catch (error) {
      if (!(error instanceof CordPulled)) log('warn', `A request could not be deleted: ${String(error)}`);
    }
  }
}

/** Does something with each of many, a few at a time and in their order. */
async function fewAtOnce<T>(many: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const next = many[Symbol.iterator]();
  const line = async (): Promise<void> => {
    for (let one = next.next(); one.done !== true; one = next.next()) await work(one.value);
  };
  await Promise.all(Array.from({ length: Math.min(FILES_AT_ONCE, many.length) }, line));
}
