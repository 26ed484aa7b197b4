/**
 * The host's memory as it stands: written by this host while it holds the lease, only read while another window
 * does, and taken over when that one goes (D4).
 *
 * Owns: the lease, the store and the engine on it. Does not own: what runs (the engine's), who listens.
 * G1 There is an engine exactly while this host holds the lease.
 */
import { join } from 'node:path';
import type { BelayEvent } from '../../protocol';
import type { Clock } from '../base/clock';
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
  /** Opens an engine on a store that this host may write. */
  readonly engine: (ledger: Ledger) => Promise<Engine>;
  /** The store got into trouble, is well again, or can be written from now on. */
  readonly changed: (trouble: string | undefined, readOnly: boolean) => void;
}

export interface Memory {
  readonly store: Store;
  readonly ledger: StoreLedger;
  /** Undefined while this host only reads. */
  readonly engine: Engine | undefined;
  /** What the person should know of how it opened. */
  readonly warnings: readonly string[];
  stop(graceMs: number): Promise<void>;
}

interface Opened {
  readonly store: Store;
  readonly ledger: StoreLedger;
  readonly engine: Engine | undefined;
  readonly warnings: readonly string[];
  close(graceMs: number): Promise<void>;
}

export async function openMemory(options: MemoryOptions): Promise<Memory> {
  let stopped = false;
  let current = await open(
    options,
    (taken) => void watch(taken),
    () => void giveUp(),
  );

  /** Takes over once the other window is gone. */
  async function watch(taken: Taken): Promise<void> {
    await taken.released;
    if (stopped) return;
    try {
      await current.close(0);
      current = await open(
        options,
        (again) => void watch(again),
        () => void giveUp(),
      );
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
  if (acquired.kind === 'taken') {
    const store = await openReadOnly({ dir, wasm, newest: migrations.length, clock, log });
    watch(acquired);
    const ledger = createLedger(store, new Blobs(dir), clock, () => undefined);
    return {
      store,
      ledger,
      engine: undefined,
      warnings: [
        'Another window works in this workspace, so this one only reads. It takes over when the other one is closed.',
      ],
      close: async () => {
        acquired.dispose();
        await store.dispose();
      },
    };
  }
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
    return {
      store,
      ledger,
      engine,
      warnings: warningsOf(opened),
      close: async (graceMs) => {
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

function warningsOf(opened: OpenedStore): readonly string[] {
  if (opened.setAside !== undefined)
    return [
      `The storage of this workspace was damaged. It was put aside whole as ${opened.setAside}, and a fresh one was started.`,
    ];
  return opened.lost > 0
    ? [`The disk has lost the last ${String(opened.lost)} changes of this workspace’s history.`]
    : [];
}
