import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, shell } from '../support/scene';

describe('files that the agent has changed', () => {
  const scene = scenes();
  const at = (name: string) => join(scene.host.workspace, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const write = (path: string, text: string) => ({ tool: 'write', args: { path, text } });
  const edit = (path: string, old: string, now: string) => ({ tool: 'edit', args: { path, old, new: now } });
  const turn = async (...calls: readonly { tool: string; args: object }[]) => {
    scene.server.script([{ text: 'On it.', calls: [...calls] }, done()]);
    const mark = scene.host.mark;
    await scene.say('go on');
    return (await scene.host.next('turn_ended', mark)).data.turn;
  };
  const list = async (params: { turn?: string } = {}) =>
    (await scene.host.request('change/list', { session: scene.session, ...params })).items;
  const revert = async (params: { turn?: string; since?: string; paths?: string[] } = {}) =>
    (await scene.host.request('change/revert', { session: scene.session, by: 'test', ...params })).items;

  beforeEach(async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'edits' });
    writeFileSync(at('a.txt'), 'one\ntwo\n');
  });

  it('are listed for a session and for a turn, with what was done to them', async () => {
    const first = await turn(edit('a.txt', 'two', 'zwei'), write('new/b.txt', 'b\n'));
    const second = await turn(edit('a.txt', 'one', 'eins'));
    const short = (await list()).map(({ path, kind, added, removed, state, turns }) => [
      path,
      kind,
      added,
      removed,
      state,
      turns,
    ]);
    assert.deepEqual(short, [
      [at('a.txt'), 'modified', 2, 2, 'as_left', [first, second]],
      [at('new/b.txt'), 'created', 1, 0, 'as_left', [first]],
    ]);
    assert.deepEqual(
      (await list({ turn: second })).map((file) => [file.path, file.added]),
      [[at('a.txt'), 1]],
    );
    const sides = await scene.host.request('change/read', {
      session: scene.session,
      turn: first,
      path: at('a.txt'),
    });
    const text = (side: string | undefined) => Buffer.from(side ?? '', 'base64').toString('utf8');
    assert.deepEqual([text(sides.before), text(sides.after)], ['one\ntwo\n', 'one\nzwei\n']);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(
      items.map((view) => view.changes?.map((change) => change.kind)),
      [['modified', 'created'], ['modified']],
    );
  });

  it('are put back, created ones removed, to the very bytes, after a restart as well, outside of git', async () => {
    writeFileSync(at('latin.txt'), Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65, 0x0d, 0x0a]));
    await turn(edit('a.txt', 'two', 'zwei'), write('b.txt', 'b\n'), edit('latin.txt', 'gr', 'Gr'));
    assert.equal(readFileSync(at('latin.txt'))[2], 0xfc);
    await scene.restart();
    const mark = scene.host.mark;
    assert.deepEqual(await revert(), [
      { path: at('a.txt'), outcome: 'reverted' },
      { path: at('b.txt'), outcome: 'reverted' },
      { path: at('latin.txt'), outcome: 'reverted' },
    ]);
    assert.equal(read('a.txt'), 'one\ntwo\n');
    assert.equal(existsSync(at('b.txt')), false);
    assert.deepEqual([...readFileSync(at('latin.txt'))], [0x67, 0x72, 0xfc, 0xdf, 0x65, 0x0d, 0x0a]);
    assert.deepEqual(await list(), []);
    assert.equal((await scene.host.next('changes_reverted', mark)).data.by, 'test');
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(items[0]?.changes, []);
    assert.deepEqual(await revert(), [], 'a second time nothing is left to put back (R9)');
  });

  it('are put back as they were before a turn and all behind it, and the past goes on before that turn', async () => {
    await turn(edit('a.txt', 'one', 'eins'));
    const second = await turn(edit('a.txt', 'two', 'zwei'), write('b.txt', 'b\n'));
    await turn(edit('a.txt', 'zwei', 'deux'));
    const unknown = { session: scene.session, since: 't999' };
    assert.equal((await scene.host.refused('change/revert', unknown)).code, 'turn_unknown');
    assert.deepEqual(await revert({ since: second }), [
      { path: at('a.txt'), outcome: 'reverted' },
      { path: at('b.txt'), outcome: 'reverted' },
    ]);
    assert.equal(read('a.txt'), 'eins\ntwo\n');
    assert.equal(existsSync(at('b.txt')), false);
    const fork = (before: string) =>
      scene.host.request('session/fork', { session: scene.session, before, title: 'again' });
    const unforked = { session: scene.session, before: 't999' };
    assert.equal((await scene.host.refused('session/fork', unforked)).code, 'turn_unknown');
    const { session } = await fork(second);
    assert.equal(session.title, 'again');
    const { items } = await scene.host.request('transcript/read', { session: session.id });
    assert.equal(items.length, 1);
    const first = (await scene.host.request('turn/list', { session: scene.session })).items.at(-1)?.id ?? '';
    const { session: empty } = await fork(first);
    const past = await scene.host.request('transcript/read', { session: empty.id });
    assert.deepEqual(past.items, [], 'before the first message is nothing');
    scene.server.script([done('A new one.')]);
    await scene.host.request('message/send', {
      session: empty.id,
      text: 'from the start',
      clientId: 'back-1',
      delivery: 'steer',
    });
    const { data } = await scene.host.next('turn_ended');
    assert.equal(data.status, 'completed');
  });

  it('stay as they are where the person has edited, deleted or replaced them since, with the reason', async () => {
    writeFileSync(at('c.txt'), 'c\n');
    await turn(edit('a.txt', 'two', 'zwei'), edit('c.txt', 'c', 'C'), write('d.txt', 'd\n'));
    writeFileSync(at('a.txt'), 'one\nzwei\nand mine\n');
    rmSync(at('c.txt'));
    assert.deepEqual(
      (await list()).map(({ state }) => state),
      ['edited', 'missing', 'as_left'],
    );
    const items = await revert();
    assert.deepEqual(
      items.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['refused', 'edited_since'],
        ['refused', 'missing'],
        ['reverted', undefined],
      ],
    );
    assert.match(items[0]?.detail ?? '', /was edited since/);
    assert.equal(read('a.txt'), 'one\nzwei\nand mine\n');
    assert.equal(existsSync(at('c.txt')), false);
  });

  it('stay as they are where the person has edited between two changes of the agent, with the reason', async () => {
    await turn(edit('a.txt', 'two', 'zwei'));
    writeFileSync(at('a.txt'), 'one\nzwei\nmine\n');
    await turn(edit('a.txt', 'one', 'eins'));
    const [outcome] = await revert();
    assert.deepEqual([outcome?.outcome, outcome?.reason], ['refused', 'edited_since']);
    assert.equal(read('a.txt'), 'eins\nzwei\nmine\n');
  });

  it('of one turn are put back alone, unless a later turn has changed them as well', async () => {
    const first = await turn(edit('a.txt', 'two', 'zwei'), write('b.txt', 'b\n'));
    const second = await turn(edit('a.txt', 'one', 'eins'));
    assert.deepEqual(
      (await revert({ turn: first })).map(({ outcome, reason }) => [outcome, reason]),
      [
        ['refused', 'changed_later'],
        ['reverted', undefined],
      ],
    );
    assert.deepEqual(await revert({ turn: second, paths: [at('a.txt')] }), [
      { path: at('a.txt'), outcome: 'reverted' },
    ]);
    assert.equal(read('a.txt'), 'one\nzwei\n');
    await revert({ turn: first });
    assert.equal(read('a.txt'), 'one\ntwo\n');
  });

  it('P1 are not put back while everything is paused, nor without trust (A11)', async () => {
    await turn(edit('a.txt', 'two', 'zwei'));
    await scene.host.request('host/pause', { by: 'test' });
    const asked = { session: scene.session };
    assert.equal((await scene.host.refused('change/revert', asked)).code, 'host_paused');
    await scene.host.request('host/resume', { by: 'test' });
    await scene.host.request('settings/update', { trusted: false });
    assert.equal((await scene.host.refused('change/revert', asked)).code, 'untrusted_workspace');
    assert.equal(read('a.txt'), 'one\nzwei\n');
    assert.equal((await list()).length, 1, 'they can be looked at');
  });

  it('are known for a lifted edit that is allowed after its turn as well (L7)', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    const first = { text: 'May I?', calls: [edit('a.txt', 'two', 'zwei')] };
    scene.server.script([first, done(), done('It was allowed.')]);
    const mark = scene.host.mark;
    await scene.say('go on');
    const approval = await scene.asked(mark);
    await scene.say('leave it open');
    await scene.host.next('turn_ended', mark);
    await scene.allow(approval);
    const event = await scene.host.next('file_changed', mark);
    assert.equal(event.data.path, at('a.txt'));
    await scene.host.next('turn_ended', event.seq);
    assert.equal((await revert())[0]?.outcome, 'reverted');
  });

  it('are those of tools alone: what a command writes is not taken for the agent’s', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await turn(shell('echo x > a.txt'));
    assert.deepEqual(await list(), []);
  });

  it('go with their turns when those are pruned (D7)', async () => {
    await turn(edit('a.txt', 'two', 'zwei'));
    await turn(write('b.txt', 'b\n'));
    await scene.host.request('store/prune', { keepTurns: 1 });
    assert.deepEqual(
      (await list()).map(({ path }) => path),
      [at('b.txt')],
    );
  });
});
