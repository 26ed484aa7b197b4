import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Timer } from '../../host/base/clock';
import type { Log } from '../../host/base/log';
import type { Migration, OpenedStore } from '../../host/store/contract';
import { type FileOps, type FileState, nodeFileOps, type OpenMode } from '../../host/store/files';
import { openStore, type StoreOptions } from '../../host/store/store';

export const wasm = require.resolve('sql.js/dist/sql-wasm.wasm');

export const quiet: Log = () => {};

/** A clock that only moves when told; timers fire in order of their time. */
export class HandClock implements Clock {
  private readonly timers = new Set<{ at: number; run: () => void }>();

  constructor(private time = 1_800_000_000_000) {}

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): Timer {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return { clear: () => void this.timers.delete(timer) };
  }

  get armed(): number {
    return this.timers.size;
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = [...this.timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.run();
    }
    this.time = end;
  }

  /** Time passes while nothing runs, as for a machine that sleeps; then what is overdue runs, once each. */
  sleep(ms: number): void {
    this.time += ms;
    const due = [...this.timers].filter((timer) => timer.at <= this.time).sort((a, b) => a.at - b.at);
    for (const timer of due) {
      this.timers.delete(timer);
      timer.run();
    }
  }
}

export type Operation = 'open' | 'read' | 'write' | 'truncate' | 'sync' | 'rename' | 'unlink';

/** An error of the file system with this code. */
export function fileError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/**
 * The real files, with every operation counted, failable and, for syncs, holdable. `fail` is asked before
 * each operation and its answer, a code, is what the operation fails with.
 */
export class FaultyFiles implements FileOps {
  readonly counts: Record<Operation, number> = {
    open: 0,
    read: 0,
    write: 0,
    truncate: 0,
    sync: 0,
    rename: 0,
    unlink: 0,
  };
  fail: (operation: Operation, path: string, index: number) => string | undefined = () => undefined;
  /** When set, the next syncs off the loop wait for it before they reach the disk. */
  gate: Promise<void> | undefined;
  private readonly real: FileOps;
  private readonly paths = new Map<number, string>();

  constructor(clock: Clock) {
    this.real = nodeFileOps(clock);
  }

  open(path: string, mode: OpenMode): number {
    this.begin('open', path);
    const fd = this.real.open(path, mode);
    this.paths.set(fd, path);
    return fd;
  }

  close(fd: number): void {
    this.paths.delete(fd);
    this.real.close(fd);
  }

  read(fd: number, into: Uint8Array, position: number): number {
    this.begin('read', this.path(fd));
    return this.real.read(fd, into, position);
  }

  write(fd: number, bytes: Uint8Array, position: number): number {
    this.begin('write', this.path(fd));
    return this.real.write(fd, bytes, position);
  }

  truncate(fd: number, size: number): void {
    this.begin('truncate', this.path(fd));
    this.real.truncate(fd, size);
  }

  sync(fd: number): void {
    this.begin('sync', this.path(fd));
    this.real.sync(fd);
  }

  async syncSoon(fd: number): Promise<void> {
    const path = this.path(fd);
    await this.gate;
    this.begin('sync', path);
    await this.real.syncSoon(fd);
  }

  syncFolder(path: string): void {
    this.real.syncFolder(path);
  }

  stateOf(fd: number): FileState {
    return this.real.stateOf(fd);
  }

  isNamed(fd: number, path: string): boolean {
    return this.real.isNamed(fd, path);
  }

  state(path: string): FileState | undefined {
    return this.real.state(path);
  }

  unlink(path: string): void {
    this.begin('unlink', path);
    this.real.unlink(path);
  }

  rename(from: string, to: string): void {
    this.begin('rename', from);
    this.real.rename(from, to);
  }

  makeFolder(path: string): void {
    this.real.makeFolder(path);
  }

  /** Descriptors that are open now. */
  get openCount(): number {
    return this.paths.size;
  }

  private path(fd: number): string {
    return this.paths.get(fd) ?? '';
  }

  private begin(operation: Operation, path: string): void {
    const index = this.counts[operation];
    this.counts[operation] += 1;
    const code = this.fail(operation, path, index);
    if (code !== undefined) throw fileError(code);
  }
}

/** A gate: what awaits it goes on when it is opened. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

export const NOTES: Migration = {
  version: 1,
  up: (q) =>
    q.script(`
      CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
      CREATE INDEX note_body ON note (body);
    `),
};

const ADD = 'INSERT INTO note (body) VALUES (?)';

/** Folders and stores of one test; `end` closes and removes them all. */
export class Rig {
  readonly clock = new HandClock();
  readonly files = new FaultyFiles(this.clock);
  private readonly stores: OpenedStore[] = [];
  private readonly folders: string[] = [];

  folder(): string {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'belay-store-')));
    this.folders.push(path);
    const inside = join(path, 'store');
    mkdirSync(inside);
    return inside;
  }

  async open(dir: string, options: Partial<StoreOptions> = {}): Promise<OpenedStore> {
    const opened = await openStore({
      dir,
      wasm,
      migrations: [NOTES],
      clock: this.clock,
      log: quiet,
      files: this.files,
      ...options,
    });
    this.stores.push(opened);
    return opened;
  }

  async end(): Promise<void> {
    this.files.fail = () => undefined;
    this.files.gate = undefined;
    for (const { store } of this.stores.splice(0).reverse()) await store.dispose();
    for (const folder of this.folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Commits one note. */
export function add({ store }: OpenedStore, body: string): Promise<void> {
  return store.commit((q) => q.run(ADD, body)).durable;
}

/** The notes in the order in which they came. */
export function notes({ store }: OpenedStore): string[] {
  return store.read((q) => q.all('SELECT body FROM note ORDER BY id')).map((row) => String(row[0]));
}
