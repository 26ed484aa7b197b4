import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostClient } from '../support/hostClient';
import { done, scenes } from '../support/scene';

/** In the first pages of a log that holds the store's first commits. */
const EARLY = 1_983;

describe('a store whose log is damaged', () => {
  const scene = scenes();

  /** Ends the host as a crash would, changes the log, and says with what words the next host opens. */
  async function openedAfter(change: (log: Buffer) => Buffer | undefined): Promise<readonly string[]> {
    const { storeDir, workspace } = scene.host;
    await scene.host.kill();
    const path = join(storeDir, 'belay.db-wal');
    const changed = change(readFileSync(path));
    if (changed === undefined) rmSync(path);
    else writeFileSync(path, changed);
    const next = HostClient.spawn({ settings: scene.settings, storeDir, workspace });
    try {
      const { warnings } = await next.initialize();
      assert.deepEqual(next.snapshot?.sessions, []);
      assert.deepEqual((await next.request('store/check', {})).problems, []);
      return warnings;
    } finally {
      await next.stop();
    }
  }

  async function talk(): Promise<void> {
    scene.server.script([done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
  }

  it('D2 keeps the log whole, and says that nothing is left, how much went and where the log is', async () => {
    await talk();
    let flipped = Buffer.alloc(0);
    const warnings = await openedAfter((log) => {
      log[EARLY] = (log[EARLY] ?? 0) ^ 0xff;
      flipped = Buffer.from(log);
      return log;
    });
    assert.equal(warnings.length, 2);
    assert.match(
      warnings[0] ?? '',
      /lost the whole history of this workspace \(\d+ changes\): nothing of it is left/,
    );
    const kept = / as (\S+)\.$/.exec(warnings[1] ?? '')?.[1] ?? '';
    assert.match(kept, /belay\.db-wal\.damaged-\d{8}T\d{6}Z$/);
    assert.ok(existsSync(kept), 'also after the host has ended');
    assert.deepEqual(readFileSync(kept), flipped);
  });

  it('D2 a log that is gone is told as a loss, and no place is named', async () => {
    await talk();
    const warnings = await openedAfter(() => undefined);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /nothing of it is left/);
  });
});
