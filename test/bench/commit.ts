import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../host/base/clock';
import type { Store } from '../../host/store/contract';
import { openStore } from '../../host/store/store';
import { openBetterSqlite, type Database } from './betterSqlite';

/** Rows of this many bytes are inserted, into a table with three indices, and one row of another is updated. */
const ROW_BYTES = 400;
const WARM_UP_ROUNDS = 20;
const ROUNDS = 100;
const COMMITS_PER_ROUND = 20;
const SCHEMA = `
  CREATE TABLE item (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE INDEX item_session ON item (session, id);
  CREATE INDEX item_state ON item (state, at);
  CREATE INDEX item_at ON item (at);
  CREATE TABLE session (id INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
`;
const INSERT = 'INSERT INTO item (session, state, at, body) VALUES (?, ?, ?, ?)';
const UPDATE = 'UPDATE session SET count = count + 1 WHERE id = ?';
const STATES = ['waiting', 'running', 'completed', 'failed'] as const;

export interface BenchResult {
  readonly name: string;
  readonly metrics: Readonly<Record<string, number>>;
}

function row(index: number): [number, string, number, string] {
  const session = (index * 7919) % 97;
  return [session, STATES[index % 4] ?? 'waiting', index * 13, `${index} `.padEnd(ROW_BYTES, 'x')];
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

const microseconds = (milliseconds: number): number => Math.round(milliseconds * 1000);

/**
 * Commits of one row at a time, each awaited until it is on the disk, in alternating rounds with
 * better-sqlite3 in WAL mode with `synchronous=FULL` on the same disk and the same file format
 * (`auto_vacuum`). Each of our commits also writes its own number. Metrics are microseconds.
 */
export async function benchCommit(wasm: string, megabytes: number): Promise<BenchResult> {
  const dir = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const opened = await openStore({
    dir: join(dir, 'ours'),
    wasm,
    clock: systemClock,
    log: () => {},
    migrations: [{ version: 1, up: (q) => q.script(SCHEMA) }],
  });
  const theirs = openBetterSqlite(join(dir, 'theirs.db'));
  try {
    theirs.pragma('auto_vacuum = incremental');
    theirs.pragma('journal_mode = wal');
    theirs.pragma('synchronous = full');
    theirs.exec(SCHEMA);
    await fillOurs(opened.store, megabytes);
    fillTheirs(theirs, megabytes);
    // The first rounds warm up the compilers of both and are not counted.
    await alternate(opened.store, theirs, WARM_UP_ROUNDS);
    const times = await alternate(opened.store, theirs, ROUNDS);
    const grouped = await group(opened.store);
    return {
      name: `commit ${megabytes} MB`,
      metrics: {
        oursP50: microseconds(percentile(times.ours, 0.5)),
        oursP99: microseconds(percentile(times.ours, 0.99)),
        oursBlockedP50: microseconds(percentile(times.blocked, 0.5)),
        theirsP50: microseconds(percentile(times.theirs, 0.5)),
        theirsP99: microseconds(percentile(times.theirs, 0.99)),
        ratioP50: Math.round((100 * percentile(times.ours, 0.5)) / percentile(times.theirs, 0.5)) / 100,
        groupedPerCommit: microseconds(grouped),
        rssMegabytes: Math.round(process.memoryUsage().rss / 1024 / 1024),
      },
    };
  } finally {
    theirs.close();
    await opened.store.dispose();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function fillOurs(store: Store, megabytes: number): Promise<void> {
  store.commit((q) => {
    for (let id = 0; id < 97; id += 1) q.run('INSERT INTO session (id, count) VALUES (?, 0)', id);
  });
  for (let done = 0; store.stats().dbBytes + store.stats().walBytes < megabytes * 1024 * 1024;) {
    const from = done;
    await store.commit((q) => {
      for (; done < from + 1000; done += 1) q.run(INSERT, ...row(done));
    }).durable;
  }
}

function fillTheirs(db: Database, megabytes: number): void {
  for (let id = 0; id < 97; id += 1) db.prepare('INSERT INTO session (id, count) VALUES (?, 0)').run(id);
  const insert = db.prepare(INSERT);
  const size = db
    .prepare('SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()')
    .pluck();
  for (let done = 0; Number(size.get()) < megabytes * 1024 * 1024;) {
    const from = done;
    db.transaction(() => {
      for (; done < from + 1000; done += 1) insert.run(...row(done));
    })();
  }
}

async function alternate(store: Store, db: Database, rounds: number) {
  const ours: number[] = [];
  const blocked: number[] = [];
  const theirs: number[] = [];
  const begin = db.prepare('BEGIN IMMEDIATE');
  const insert = db.prepare(INSERT);
  const update = db.prepare(UPDATE);
  const end = db.prepare('COMMIT');
  let index = 10_000_000;
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < COMMITS_PER_ROUND; count += 1) {
      index += 1;
      const start = performance.now();
      const { durable } = store.commit((q) => {
        q.run(INSERT, ...row(index));
        q.run(UPDATE, index % 97);
      });
      blocked.push(performance.now() - start);
      await durable;
      ours.push(performance.now() - start);
    }
    for (let count = 0; count < COMMITS_PER_ROUND; count += 1) {
      index += 1;
      const start = performance.now();
      begin.run();
      insert.run(...row(index));
      update.run(index % 97);
      end.run();
      theirs.push(performance.now() - start);
    }
  }
  return { ours, blocked, theirs };
}

/** Milliseconds per commit when eight come in one moment. */
async function group(store: Store): Promise<number> {
  let index = 20_000_000;
  const start = performance.now();
  for (let round = 0; round < 100; round += 1) {
    const waiting: Promise<void>[] = [];
    for (let count = 0; count < 8; count += 1) {
      index += 1;
      waiting.push(store.commit((q) => q.run(INSERT, ...row(index))).durable);
    }
    await Promise.all(waiting);
  }
  return (performance.now() - start) / 800;
}

async function main(): Promise<void> {
  const wasm = require.resolve('sql.js/dist/sql-wasm.wasm');
  for (const megabytes of [1, 100]) console.log(JSON.stringify(await benchCommit(wasm, megabytes)));
}

if (require.main === module) void main();
