/** What `child.ts` runs in a process of its own. Arguments: mode, folder of the store, sql-wasm.wasm, seed. */
import { writeSync } from 'node:fs';
import { systemClock } from '../../host/base/clock';
import type { Migration, Store } from '../../host/store/contract';
import { acquireLease } from '../../host/store/lease';
import { openStore } from '../../host/store/store';

/** Each commit writes one batch: its row here, `size` rows in `part`, and the running total. */
export const BATCHES: Migration = {
  version: 1,
  up: (q) =>
    q.script(`
      CREATE TABLE batch (id INTEGER PRIMARY KEY, size INTEGER NOT NULL) STRICT;
      CREATE TABLE part (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL REFERENCES batch (id), body TEXT NOT NULL) STRICT;
      CREATE INDEX part_batch ON part (batch);
      CREATE TABLE total (id INTEGER PRIMARY KEY CHECK (id = 1), parts INTEGER NOT NULL) STRICT;
      INSERT INTO total (id, parts) VALUES (1, 0);
    `),
};

/** Numbers that look random and are the same for the same seed. */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Written at once, so that a line that the parent reads was said before the kill. */
function say(line: string): void {
  writeSync(1, `${line}\n`);
}

function writeBatch(store: Store, pick: (below: number) => number): Promise<number> {
  const { value, durable } = store.commit((q) => {
    const size = 1 + pick(5);
    const { lastId } = q.run('INSERT INTO batch (size) VALUES (?)', size);
    for (let index = 0; index < size; index += 1) {
      const body = 'x'.repeat(pick(20) === 0 ? pick(200_000) : pick(2_000));
      q.run('INSERT INTO part (batch, body) VALUES (?, ?)', lastId, body);
    }
    q.run('UPDATE total SET parts = parts + ?', size);
    return lastId;
  });
  return durable.then(() => value);
}

/** Commits without end, several at a time, and says each number once it is safe. */
async function storm(store: Store, pick: (below: number) => number): Promise<void> {
  for (;;) {
    const moment = Array.from({ length: 1 + pick(4) }, () =>
      writeBatch(store, pick).then((id) => {
        say(`safe ${id}`);
      }),
    );
    await Promise.all(moment);
  }
}

async function main(mode: string, dir: string, wasm: string, seed: number): Promise<void> {
  const shared = { clock: systemClock, log: (_: string, text: string) => console.error(text) };
  const acquired = await acquireLease(dir, shared);
  if (acquired.kind === 'taken') {
    say(`taken by ${acquired.owner.pid}`);
    acquired.dispose();
    return;
  }
  const { store, lost } = await openStore({
    ...shared,
    dir,
    wasm,
    migrations: [BATCHES],
    fence: acquired.lease,
  });
  say(`lost ${lost}`);
  const pick = numbers(seed);
  if (mode === 'storm') {
    say('open');
    await storm(store, pick);
  }
  await writeBatch(store, pick);
  say('open');
  process.stdin.resume();
  process.stdin.on('end', () => {
    void store.dispose().then(() => acquired.lease.dispose());
  });
}

const [, , mode, dir, wasm, seed] = process.argv;
if (mode !== undefined && dir !== undefined && wasm !== undefined && require.main === module) {
  void main(mode, dir, wasm, Number(seed));
}
