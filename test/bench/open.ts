import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../host/base/clock';
import { openStore } from '../../host/store/store';
import { Child } from '../store/child';
import { BATCHES } from '../store/childMain';
import type { BenchResult } from './commit';

const ROW = 'x'.repeat(100_000);
const ROWS_PER_COMMIT = 20;

/**
 * How long a store of this size takes to open, after a clean end and after `kill -9` with a commit in the
 * log, and the memory that it takes (D7). Metrics are milliseconds and megabytes.
 */
export async function benchOpen(wasm: string, megabytes: number): Promise<BenchResult> {
  const dir = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const options = { dir, wasm, clock: systemClock, log: () => {}, migrations: [BATCHES] };
  try {
    const first = await openStore(options);
    first.store.commit((q) => q.run('INSERT INTO batch (id, size) VALUES (1, 0)'));
    while (first.store.stats().dbBytes < megabytes * 1024 * 1024) {
      await first.store.commit((q) => {
        for (let row = 0; row < ROWS_PER_COMMIT; row += 1)
          q.run('INSERT INTO part (batch, body) VALUES (1, ?)', ROW);
      }).durable;
    }
    await first.store.dispose();
    const rss = process.memoryUsage().rss;
    const clean = await timeOpen(options);
    const child = new Child('hold', dir, 1);
    await child.said('open');
    await child.kill();
    const killed = await timeOpen(options);
    return {
      name: `open ${megabytes} MB`,
      metrics: {
        afterCloseMs: Math.round(clean),
        afterKillMs: Math.round(killed),
        rssGrowthMegabytes: Math.round((process.memoryUsage().rss - rss) / 1024 / 1024),
      },
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function timeOpen(options: Parameters<typeof openStore>[0]): Promise<number> {
  const start = performance.now();
  const { store } = await openStore(options);
  store.read((q) => q.get('SELECT count(*) FROM batch'));
  const time = performance.now() - start;
  await store.dispose();
  return time;
}

if (require.main === module) {
  void benchOpen(require.resolve('sql.js/dist/sql-wasm.wasm'), Number(process.argv[2] ?? 1024)).then(
    (result) => {
      console.log(JSON.stringify(result));
    },
  );
}
