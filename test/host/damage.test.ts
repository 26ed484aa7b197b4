import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostClient } from '../support/hostClient';
import { done, scenes, shell } from '../support/scene';

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

describe('a file beside the database that is damaged', () => {
  const scene = scenes();

  /** Flips a bit in each, as a disk or a program that copies folders may. */
  function damageAll(storeDir: string): void {
    const folder = join(storeDir, 'blobs');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /[0-9a-f]{64}$/.test(name),
    );
    assert.ok(files.length > 0);
    for (const name of files) {
      const bytes = readFileSync(join(folder, name));
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(join(folder, name), bytes);
    }
  }

  const picture = () => ({
    mediaType: 'image/png' as const,
    data: Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(20_000)]).toString('base64'),
  });

  it('D2 R10 costs its picture alone: the host starts, its requests wait, and the model is told', async () => {
    scene.server.script([{ calls: [shell('echo hi', {}, 'c1')] }, done('read'), done('more'), done('last')]);
    await scene.say('look at this', { images: [picture()] });
    const approval = await scene.asked();
    await scene.say('and at this', { images: [picture()], delivery: 'queue' });
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    damageAll(scene.host.storeDir);
    scene.host = await scene.host.again({ settings: scene.settings });
    assert.deepEqual(
      scene.host.snapshot?.needs.map((need) => need.kind),
      ['approval'],
    );
    await scene.host.request('approval/answer', { approval: approval.id, request: 1, decision: 'allow' });
    await scene.host.next('turn_ended', 0, ({ data }) => data.turn === 't2');
    const said = JSON.stringify(scene.server.requests.at(-1)?.body);
    assert.match(said, /look at this.{0,8}\[1 of the 1 pictures here are gone or damaged, and left out\.\]/);
    assert.match(said, /and at this.{0,8}\[1 of the 1 pictures here/);
    assert.equal((await scene.host.request('host/status', {})).host.trouble, undefined);
    assert.deepEqual((await scene.host.request('store/check', {})).problems, []);
  });
});
