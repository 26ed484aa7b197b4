/**
 * The host's memory as it stands: written by this host while it holds the lease; while another window does, that
 * one's host is joined, or its store only read; and taken over when it goes (D4).
 *
 * Owns: the lease, the store and the engine on it, and the link to another host. Does not own: what runs (the
 * engine's), who listens.
 * G1 There is an engine exactly while this host holds the lease, and a link never with an engine.
 */
import { join } from 'node:path';
import type { BelayEvent } from '../../protocol';
import type { Link } from '../adapters/windows/link';
import type { Clock, Timer } from '../base/clock';
import type { Log } from '../base/log';
import { describe } from '../engine/driver/core';
import type { Engine } from '../engine/engine';
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
  /** Opens an engine on a store that this host may write, and lets others in. */
  readonly engine: (ledger: Ledger) => Promise<Engine>;
  /** No engine is there any more to let others into. */
  readonly closing: () => void;
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
  /** Resolves when no takeover is under way. */
  settled(): Promise<void>;
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
  close(graceMs: number): Promise<void>;
}

/** How long a host that starts waits to be let in by the one that has the lease, ms: that one may be starting, too. */
const JOIN_MS = 3_000;

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  let stopped = false;
  let takeover: Promise<void> = Promise.resolve();
  const openNow = (): Promise<Opened> =>
    open(
      options,
      (taken) => void watch(taken),
      () => void giveUp(),
    );
  let current = await openNow();

  /** Takes over once the other window is gone. */
  async function watch(taken: Taken): Promise<void> {
    await taken.released;
    if (stopped) return;
    takeover = takeOver();
    await takeover;
  }

  async function takeOver(): Promise<void> {
    try {
      const { link } = current;
      await current.close(0);
      if (link !== undefined) options.left(link.seq);
      current = await openNow();
      if (current.engine !== undefined) options.changed(undefined, false);
    } catch (error) {
      options.log('error', `The storage could not be taken over: ${describe(error)}`);
      options.changed(error instanceof Error ? error.message : 'The storage could not be taken over.', true);
    }
  }

  /** Another host has the lease: what runs here is ended, and from now on this one reads (D4). */
  async function giveUp(): Promise<void> {
    const { engine } = current;
    if (stopped || engine === undefined) return;
    current = { ...current, engine: undefined };
    options.closing();
    await engine.stop(0);
    options.changed('Another window has taken over this workspace’s storage, so this one only reads.', true);
  }

  return {
    get store() {
      return current.store;
    },
    get ledger() {
      return current.ledger;
    },
    get engine() {
      return current.engine;
    },
    get link() {
      return current.link;
    },
    settled: () => takeover,
    get warnings() {
      return current.warnings;
    },
    stop: (graceMs) => {
      stopped = true;
      return current.close(graceMs);
    },
  };
}

async function open(
  options: MemoryOptions,
  watch: (taken: Taken) => void,
  lost: () => void,
): Promise<Opened> {
  const { dir, clock, log } = options;
  makeStoreFolder(dir);
  const acquired = await acquireLease(dir, { clock, log });
  const wasm = join(options.assets, 'sql-wasm.wasm');
  if (acquired.kind === 'taken') return besideOther(options, acquired, watch, wasm);
  const { lease } = acquired;
  try {
    const opened = await openStore({ dir, migrations, wasm, clock, log, fence: lease });
    const { store } = opened;
    const trouble = store.onTrouble((error) => {
      options.changed(error?.message, store.readOnly);
      if (error?.code === 'store_locked') lost();
    });
    const ledger = createLedger(store, new Blobs(dir), clock, options.publish);
    ledger.look((tables) => tables.sweepFiles());
    const engine = await options.engine(ledger);
    lease.invite();
    return {
      store,
      ledger,
      engine,
      link: undefined,
      warnings: warningsOf(opened),
      close: async (graceMs) => {
        options.closing();
        await engine.stop(graceMs);
        await trouble.dispose();
        await store.dispose();
        await lease.dispose();
      },
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
  watch: (taken: Taken) => void,
  wasm: string,
): Promise<Opened> {
  const { dir, clock, log } = options;
  const [store, link] = await Promise.all([
    openReadOnly({ dir, wasm, newest: migrations.length, clock, log }),
    joinOwner(options, taken),
  ]);
  watch(taken);
  return {
    store,
    ledger: createLedger(store, new Blobs(dir), clock, () => undefined),
    engine: undefined,
    link,
    warnings:
      link === undefined
        ? [
            'Another window works in this workspace, so this one only reads. It takes over when the other one is closed.',
          ]
        : [],
    close: async () => {
      link?.close();
      taken.dispose();
      await store.dispose();
    },
  };
}

async function joinOwner(options: MemoryOptions, taken: Taken): Promise<Link | undefined> {
  const { clock, log } = options;
  let timer: Timer | undefined;
  const over = new Promise<'over'>((resolve) => (timer = clock.after(JOIN_MS, () => resolve('over'))));
  const invited = taken.invited.then(() => 'invited' as const);
  const first = await Promise.race([invited, over, taken.released]);
  timer?.clear();
  if (first !== 'invited') return undefined;
  try {
    return await options.join();
  } catch (error) {
    log('warn', `The host of the other window cannot be joined: ${describe(error)}`);
    return undefined;
  }
}

function warningsOf(opened: OpenedStore): readonly string[] {
  if (opened.setAside !== undefined)
    return [
      `The storage of this workspace was damaged. It was put aside whole as ${opened.setAside}, and a fresh one was started.`,
    ];
  return opened.lost > 0
    ? [`The disk has lost the last ${String(opened.lost)} changes of this workspace’s history.`]
    : [];
}
