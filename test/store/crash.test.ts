import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from './child';
import { BATCHES, numbers } from './childMain';
import { sqlite } from './sqliteShell';
import { Rig } from './support';

/** Each kind of moment comes in ten kills; `BELAY_FULL=1` makes more. */
const KILLS = process.env['BELAY_FULL'] === '1' ? 24 : 10;
/** The longest that a writer runs before it is killed, commits: enough for the log to be folded meanwhile. */
const MOST_COMMITS = 240;

/** What an independent reader finds in a copy of the files as the kill left them. */
function inspect(copy: string): { batches: number; problems: string[] } {
  const path = join(copy, 'belay.db');
  const problems = sqlite(path, 'PRAGMA integrity_check')
    .map(String)
    .filter((line) => line !== 'ok');
  const number = (sql: string): number => Number(sqlite(path, sql)[0]);
  const batches = number('SELECT count(*) FROM batch');
  if (number('SELECT coalesce(max(id), 0) FROM batch') !== batches) problems.push('A batch is missing.');
  const half = number(
    'SELECT count(*) FROM batch WHERE size <> (SELECT count(*) FROM part WHERE part.batch = batch.id)',
  );
  if (half > 0) problems.push(`${half} batches are half written.`);
  if (number('SELECT parts FROM total') !== number('SELECT count(*) FROM part'))
    problems.push('Totals differ.');
  return { batches, problems };
}

describe('store: killed', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  it(`with -9 at any moment, ${KILLS} times, it loses nothing that was acknowledged and halves no commit (D2)`, async function () {
    this.timeout(120_000);
    const dir = rig.folder();
    const copies = rig.folder();
    const pick = numbers(20_261_129);
    let safe = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = new Child('storm', dir, kill);
      // At the first commit, in the middle of many, and while the store is being opened.
      if (kill % 8 !== 0) await child.said(`safe ${safe + 1 + pick(MOST_COMMITS)}`);
      else if (kill % 16 !== 0) await child.said('open');
      const lines = await child.kill();
      for (const line of lines) {
        const number = Number(/^safe (\d+)$/.exec(line)?.[1] ?? 0);
        safe = Math.max(safe, number);
        assert.ok(!line.startsWith('lost') || line === 'lost 0', line);
      }
      const copy = join(copies, String(kill));
      cpSync(dir, copy, { recursive: true });
      if (safe === 0) continue;
      const { batches, problems } = inspect(copy);
      assert.deepEqual(problems, [], `after kill ${kill}`);
      assert.ok(batches >= safe, `${safe - batches} acknowledged commits are gone after kill ${kill}`);
    }
    assert.ok(safe > 60 * KILLS, `only ${safe} commits were acknowledged`);
    const opened = await rig.open(dir, { migrations: [BATCHES] });
    assert.equal(opened.lost, 0);
    assert.equal(opened.setAside, undefined);
    assert.deepEqual(opened.store.check(), []);
  });
});
