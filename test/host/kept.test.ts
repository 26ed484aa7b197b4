import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../protocol';
import { done, scenes, shell, toldOf } from '../support/scene';

const DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A picture large enough to live as a file: the dot with bytes behind its end, which decoders pass over. */
const picture = Buffer.concat([Buffer.from(DOT, 'base64'), Buffer.alloc(20_000, 7)]).toString('base64');

describe('what lives beside the database', () => {
  const scene = scenes();
  const blobs = () => {
    const root = join(scene.host.storeDir, 'blobs');
    return existsSync(root) ? readdirSync(root).flatMap((part) => readdirSync(join(root, part))) : [];
  };
  const fullMode = () => scene.host.request('session/update', { session: scene.session, mode: 'full' });
  const ended = async (act: () => Promise<unknown>) => {
    const mark = scene.host.mark;
    await act();
    return (await scene.host.next('turn_ended', mark)).data;
  };

  it('T7 D7 a long result is kept whole, shown as head and tail, and paged through by read', async () => {
    await fullMode();
    const lines = Array.from({ length: 20_000 }, (_line, n) => `line ${String(n)} äöü`).join('\n');
    writeFileSync(join(scene.host.workspace, 'long.txt'), lines);
    scene.server.script([{ calls: [shell('cat long.txt', {}, 'c1')] }, done()]);
    await ended(() => scene.say('go'));
    const told = toldOf(scene.server, 'c1');
    const whole = (told['whole'] as Record<string, string>)['stdout'] ?? '';
    assert.equal(whole, 't1/c1/stdout');
    assert.equal(blobs().length, 1);
    let text = '';
    for (let offset = 0; ;) {
      scene.server.script([
        { calls: [{ tool: 'read', args: { result: whole, offset }, id: `r${String(offset)}` }] },
        done(),
      ]);
      await ended(() => scene.say('page'));
      const page = toldOf(scene.server, `r${String(offset)}`);
      text += page['text'] as string;
      if (page['done'] === true) break;
      offset = page['next_offset'] as number;
    }
    assert.equal(text, lines);
    scene.server.script([{ calls: [{ tool: 'read', args: { result: 't9/c1/stdout' }, id: 'no' }] }, done()]);
    await ended(() => scene.say('page'));
    assert.equal(toldOf(scene.server, 'no')['error'], 'tool_failed');
  });

  it('T8 D7 pictures live as files by content, and survive a crash, a lift and a wait', async () => {
    writeFileSync(join(scene.host.workspace, 'p.png'), Buffer.from(picture, 'base64'));
    scene.server.script([done('Seen.')]);
    await ended(() => scene.say('look', { images: [{ mediaType: 'image/png', data: picture }] }));
    assert.equal(blobs().length, 1);
    const log = readFileSync(join(scene.host.storeDir, 'belay.db-wal'));
    assert.equal(log.includes(picture.slice(0, 400)), false, 'no row holds the picture');
    await scene.crash();
    scene.server.script([{ calls: [{ tool: 'read', args: { path: 'p.png' }, id: 'c1' }] }, done()]);
    await ended(() => scene.say('and read it'));
    const images = scene.server.requests.at(-1)?.items.flatMap((item) => item.images) ?? [];
    assert.equal(images.length, 2, 'the one that was sent, and the one that was read');
    assert.ok(images.every((image) => image.endsWith(picture)));
    assert.equal(blobs().length, 1, 'the same bytes are kept once');
    const read = await scene.host.request('transcript/read', { session: scene.session });
    const message = read.items[0]?.parts[0];
    assert.ok(message?.kind === 'message');
    assert.deepEqual(message.images, [{ mediaType: 'image/png', data: picture }]);
  });

  it('T7 D7 a fork reads on what its past names: whole results and turns, also when the old turns have gone', async () => {
    await fullMode();
    writeFileSync(join(scene.host.workspace, 'long.txt'), 'a line of many\n'.repeat(20_000));
    scene.server.script([{ calls: [shell('cat long.txt', {}, 'c1')] }, done()]);
    await ended(() => scene.say('go'));
    const fork = async (session: SessionId) =>
      (await scene.host.request('session/fork', { session })).session.id;
    const first = await fork(scene.session);
    const second = await fork(first);
    await scene.host.request('session/delete', { session: scene.session });
    for (const session of [first, second]) {
      scene.server.script([
        {
          calls: [
            { tool: 'read', args: { result: 't1/c1/stdout', offset: 150_000 }, id: 'r1' },
            { tool: 'history', args: { turn: 't1' }, id: 'h1' },
          ],
        },
        done(),
      ]);
      await ended(() => scene.host.request('message/send', { session, text: 'read on' }));
      assert.match(String(toldOf(scene.server, 'r1')['text']), /^a line of many\n/);
      const { turn, text } = toldOf(scene.server, 'h1');
      assert.equal(turn, 't1');
      assert.match(String(text), /long\.txt/);
    }
    const elsewhere = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    scene.server.script([
      { calls: [{ tool: 'read', args: { result: 't1/c1/stdout', offset: 0 }, id: 'r2' }] },
      done(),
    ]);
    await ended(() =>
      scene.host.request('message/send', { session: elsewhere.session.id, text: 'and from outside' }),
    );
    assert.equal(toldOf(scene.server, 'r2')['error'], 'tool_failed');
  });

  it('L15 pruning keeps what a lifted request still needs, and the audit; the rest goes, files included', async () => {
    await scene.host.request('settings/update', {
      settings: { ...scene.settings, approvals: { holdMs: 0 } },
    });
    scene.server.script([{ calls: [shell('echo lifted > lifted.txt')] }, done()]);
    await scene.say('one');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await ended(() => scene.say('wait'));
    scene.server.reply(() => done());
    await ended(() => scene.say('two', { images: [{ mediaType: 'image/png', data: picture }] }));
    for (const text of ['three', 'four', 'five']) await ended(() => scene.say(text));
    const before = await scene.host.request('audit/list', {});
    const pruned = await scene.host.request('store/prune', { keepTurns: 2 });
    assert.deepEqual(pruned, { turns: 2, files: 1 });
    assert.deepEqual(blobs(), []);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(
      items.map((turn) => turn.turn),
      ['t1', 't4', 't5'],
    );
    assert.deepEqual(
      scene.host.turns.map((turn) => turn.turn),
      ['t1', 't4', 't5'],
    );
    assert.deepEqual((await scene.host.request('audit/list', {})).items, before.items);
    const mark = scene.host.mark;
    await scene.allow(asked);
    assert.equal((await scene.host.next('handle_ended', mark)).data.end, 'exited');
    assert.ok(existsSync(join(scene.host.workspace, 'lifted.txt')));
    await scene.host.next('turn_ended', mark);
  });
});
