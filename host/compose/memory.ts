/**
 * The host's memory as it stands: written by this host while it holds the lease; while another window does, that
 * one's host is joined, or its store only read; and taken over when it goes (D4).
 *
 * Owns: the lease, the store and the engine on it, and the link to another host. Does not own: what runs (the
 * engine's), who listens.
 * G1 There is an engine exactly while this host holds the lease, and a link never with an engine.
 */
import { join } from 'node:path';
import { say, type BelayEvent } from '../../protocol';
import type { Link } from '../adapters/windows/link';
import { watchFolder } from '../base/channels';
import type { Clock, Timer } from '../base/clock';
import type { Disposable } from '../base/lifecycle';
import type { Log } from '../base/log';
import { describe } from '../engine/driver/core';
import type { Engine } from '../engine/engine';
import { RequestError } from '../engine/errors';
import type { Ledger } from '../engine/ledger';
import { Blobs } from '../store/blobs';
import type { OpenedStore, Store } from '../store/contract';
import { acquireLease, type Taken } from '../store/lease';
import { createLedger, type StoreLedger } from '../store/ledger';
import { migrations } from '../store/migrations';
import { openReadOnly } from '../store/readOnly';
import { makeStoreFolder } from '../store/folder';
import { openStore } from '../store/store';

export interface MemoryOptions {
  readonly dir: string;
  /** Folder with `sql-wasm.wasm`. */
  readonly assets: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly publish: (events: readonly BelayEvent[]) => void;
  /** Number of the newest stored event that the client has heard of; undefined before it has subscribed. */
  readonly heard: () => number | undefined;
  /** Makes an engine on a store that this host may write; nothing of it starts yet. */
  readonly engine: (ledger: Ledger) => Engine;
  /** The memory is the engine's by now: lets others in, and starts what an earlier host has left. */
  readonly begin: (engine: Engine) => Promise<void>;
  /** No engine is there any more to let others into. */
  readonly closing: () => void;
  /** Another host has taken the lease: nothing that this one has started may run on (D4). */
  readonly lost: () => void;
  /** Joins the host that has the lease; undefined when it cannot be reached, or takes nobody. */
  readonly join: () => Promise<Link | undefined>;
  /** The host that was joined has gone: what comes next is told behind this stored event. */
  readonly left: (seq: number | undefined) => void;
  /** The store got into trouble, is well again, or can be written from now on. */
  readonly changed: (trouble: string | undefined, readOnly: boolean) => void;
}

export interface Memory {
  readonly store: Store;
  readonly ledger: StoreLedger;
  /** Undefined while this host only reads. */
  readonly engine: Engine | undefined;
  /** The way to the host that another window has, while it is joined. */
  readonly link: Link | undefined;
  /** Why it can neither be written nor read now; it is tried again. */
  readonly failed: string | undefined;
  /** Starts what goes on; once, after it was opened. */
  begin(): Promise<void>;
  /** Resolves when no takeover is under way. */
  settled(): Promise<void>;
  /** Resolves when what comes after a link that has broken stands, or has failed. */
  after(link: Link): Promise<void>;
  /** What the person should know of how it opened. */
  readonly warnings: readonly string[];
  stop(graceMs: number): Promise<void>;
}

interface Opened {
  readonly store: Store;
  readonly ledger: StoreLedger;
  readonly engine: Engine | undefined;
  readonly link: Link | undefined;
  readonly warnings: readonly string[];
  /** Resolves when it is to be closed, and opened anew. */
  readonly over: Promise<void>;
  /** Tells other windows that this host can be joined. */
  readonly invite: () => void;
  close(graceMs: number): Promise<void>;
}

/** How long a host that starts waits to be let in by the one that has the lease, ms: that one may be starting, too. */
const JOIN_MS = 3_000;
/** When an owner that was too slow to let this host in is tried again, ms. */
const JOIN_AGAIN_MS = 15_000;
/** A link mostly breaks because the owner ends, and the lease is free a few ms later. */
const OWNER_ENDS_MS = 500;
/** When a takeover that has failed is tried again, ms: the disk may be full, or away for a moment. */
const RETRY_MS = 5_000;

/** How long changes of the files are gathered before they are read, ms: less than a person sees. */
const FOLLOW_MS = 50;
/** Events that are read at a time. */
const EVENTS_AT_ONCE = 256;

const ONLY_READS =
  'Another window works in this workspace, so this one only reads. It takes over when the other one is closed.';

/** What a request that writes is told meanwhile. */
export const onlyReads = (): RequestError =>
  new RequestError(
    'store_read_only',
    say('Another window works in this workspace, so this one only reads. Work there, or close it.'),
  );

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  const { clock, log } = options;
  let stopNow = (): void => {};
  const stopping = new Promise<void>((resolve) => (stopNow = resolve));
  let stopped = false;
  const isStopped = (): boolean => stopped;
  let takeover: Promise<void> = Promise.resolve();
  let failed: string | undefined;
  let retry: Timer | undefined;
  /** The store has been closed, and the next one does not stand yet. */
  let between = false;
  let waiting: (() => void)[] = [];
  let current = follow(await open(options, stopping));

  function follow(opened: Opened): Opened {
    void opened.over.then(() => {
      if (!stopped && current === opened) takeover = reopen();
    });
    return opened;
  }

  async function reopen(): Promise<void> {
    const before = current;
    between = true;
    try {
      if (before.engine !== undefined) options.lost();
      await before
        .close(0)
        .catch((error: unknown) => log('warn', `The storage was not closed well: ${describe(error)}`));
      if (before.link !== undefined) options.left(before.link.seq);
      if (isStopped()) return;
      current = follow(await open(options, stopping));
      between = false;
      if (isStopped()) return;
      // What the other host has told nobody any more, or this one has not read, comes before what is told next.
      if (current.link === undefined) catchUp(options, current.ledger);
      await begin(current);
      failed = undefined;
      const reads = current.engine === undefined && current.link === undefined;
      options.changed(reads ? ONLY_READS : undefined, reads);
    } catch (error) {
      log('error', `The storage could not be taken over: ${describe(error)}`);
      failed = error instanceof Error ? error.message : say('The storage could not be taken over.');
      options.changed(failed, true);
      if (!isStopped())
        retry = clock.after(RETRY_MS, () => {
          takeover = reopen();
        });
    } finally {
      const told = waiting;
      waiting = [];
      for (const go of told) go();
    }
  }

  async function begin({ engine, invite }: Opened): Promise<void> {
    if (engine === undefined) return;
    await options.begin(engine);
    invite();
  }

  return {
    get store() {
      return current.store;
    },
    get ledger() {
      return current.ledger;
    },
    get engine() {
      return between ? undefined : current.engine;
    },
    get link() {
      return between ? undefined : current.link;
    },
    get failed() {
      return failed;
    },
    begin: () => begin(current),
    settled: () => takeover,
    after: async (link) => {
      if (current.link === link && !stopped) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    get warnings() {
      return current.warnings;
    },
    stop: async (graceMs) => {
      stopped = true;
      stopNow();
      retry?.clear();
      await takeover;
      await current.close(graceMs);
      for (const go of waiting) go();
    },
  };
}

async function open(options: MemoryOptions, stopping: Promise<void>): Promise<Opened> {
  const { dir, clock, log } = options;
  makeStoreFolder(dir);
  const acquired = await acquireLease(dir, { clock, log });
  const wasm = join(options.assets, 'sql-wasm.wasm');
  if (acquired.kind === 'taken') return besideOther(options, acquired, stopping, wasm);
  const { lease } = acquired;
  let lost = (): void => {};
  const over = new Promise<void>((resolve) => (lost = resolve));
  try {
    const opened = await openStore({ dir, migrations, wasm, clock, log, fence: lease });
    const { store } = opened;
    const trouble = store.onTrouble((error) => {
      options.changed(error?.message, store.readOnly);
      // Another host has the lease: what runs here is ended (D4).
      if (error?.code === 'store_locked') lost();
    });
    const ledger = createLedger(store, new Blobs(dir), clock, options.publish);
    ledger.look((tables) => tables.sweepFiles());
    const engine = options.engine(ledger);
    return {
      store,
      ledger,
      engine,
      link: undefined,
      warnings: warningsOf(opened),
      over,
      invite: () => lease.invite(),
      close: once(async (graceMs) => {
        options.closing();
        try {
          await engine.stop(graceMs);
          await trouble.dispose();
          await store.dispose();
        } finally {
          await lease.dispose();
        }
      }),
    };
  } catch (error) {
    await lease.dispose();
    throw error;
  }
}

/** Another window has the lease: its host is joined, or, where that cannot be, its store is read. */
async function besideOther(
  options: MemoryOptions,
  taken: Taken,
  stopping: Promise<void>,
  wasm: string,
): Promise<Opened> {
  const { dir, clock, log } = options;
  const [store, joined] = await Promise.all([
    openReadOnly({ dir, wasm, newest: migrations.length, clock, log }),
    joinOwner(options, taken, stopping),
  ]);
  const link = typeof joined === 'string' ? undefined : joined;
  const timers = new Set<Timer>();
  const later = (ms: number): Promise<void> => new Promise((resolve) => timers.add(clock.after(ms, resolve)));
  const ledger = createLedger(store, new Blobs(dir), clock, () => undefined);
  const reading = link === undefined ? followFile(options, ledger) : undefined;
  const ends = [taken.released];
  if (link !== undefined) ends.push(link.closed.then(() => later(OWNER_ENDS_MS)));
  if (joined === 'uninvited') ends.push(taken.invited);
  if (joined === 'slow') ends.push(later(JOIN_AGAIN_MS));
  return {
    store,
    ledger,
    engine: undefined,
    link,
    warnings: link === undefined ? [ONLY_READS] : [],
    over: Promise.race(ends),
    invite: () => undefined,
    close: once(async () => {
      for (const timer of timers) timer.clear();
      await reading?.dispose();
      link?.close();
      taken.dispose();
      await store.dispose();
    }),
  };
}

/** Tells the client the stored events that it has not heard of. */
function catchUp(options: MemoryOptions, ledger: StoreLedger): void {
  for (let heard = options.heard(); heard !== undefined;) {
    const after = heard;
    const events = ledger.look((tables) => tables.eventPage(after, undefined, EVENTS_AT_ONCE));
    if (events.length > 0) options.publish(events);
    heard = events.at(-1)?.seq;
  }
}

/** A window that only reads hears what another host writes when the files have changed: the system says so, nothing polls. */
function followFile(options: MemoryOptions, ledger: StoreLedger): Disposable {
  const { clock, log } = options;
  let timer: Timer | undefined;
  const look = (): void => {
    timer = undefined;
    try {
      catchUp(options, ledger);
    } catch (error) {
      log('debug', `The other window's events could not be read: ${describe(error)}`);
    }
  };
  const watching = watchFolder(options.dir, () => (timer ??= clock.after(FOLLOW_MS, look)));
  if (watching === undefined)
    log('warn', 'Changes of the storage cannot be watched: the lists show them late.');
  return {
    dispose: () => {
      watching?.dispose();
      timer?.clear();
    },
  };
}

/** The way in; or why there is none: not asked in yet, too slow, or not to be had. */
async function joinOwner(
  options: MemoryOptions,
  taken: Taken,
  stopping: Promise<void>,
): Promise<Link | 'uninvited' | 'slow' | 'none'> {
  const { clock, log } = options;
  let timer: Timer | undefined;
  const over = new Promise<'over'>((resolve) => (timer = clock.after(JOIN_MS, () => resolve('over'))));
  const ended = Promise.race([over, taken.released, stopping]).then(() => 'over' as const);
  try {
    const first = await Promise.race([taken.invited.then(() => 'invited' as const), ended]);
    if (first === 'over') return 'uninvited';
    const joining = options.join();
    const joined = await Promise.race([joining, ended]);
    if (joined !== 'over') return joined ?? 'none';
    joining.then(
      (late) => late?.close(),
      () => undefined,
    );
    return 'slow';
  } catch (error) {
    log('warn', `The host of the other window cannot be joined: ${describe(error)}`);
    return 'none';
  } finally {
    timer?.clear();
  }
}

/** The first close is the only one. */
function once(close: (graceMs: number) => Promise<void>): (graceMs: number) => Promise<void> {
  let closing: Promise<void> | undefined;
  return (graceMs) => (closing ??= close(graceMs));
}

function warningsOf({ setAside, lost, nothingLeft }: OpenedStore): readonly string[] {
  if (setAside?.what === 'store')
    return [
      say(
        'The storage of this workspace was damaged. It was put aside whole as {path}, and a fresh one was started.',
        { path: setAside.path },
      ),
    ];
  if (lost === 0) return [];
  const loss = nothingLeft
    ? say('The disk has lost the whole history of this workspace ({count} changes): nothing of it is left.', {
        count: lost,
      })
    : say('The disk has lost the last {count} changes of this workspace’s history.', { count: lost });
  if (setAside === undefined) return [loss];
  return [loss, say('The damaged log that held them was kept, whole, as {path}.', { path: setAside.path })];
}
