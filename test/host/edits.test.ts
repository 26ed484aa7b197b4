import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, toldOf } from '../support/scene';

describe('a change that a person has allowed', () => {
  const scene = scenes();

  /** Shows a change of `a.txt`, has a person save the file meanwhile, allows it; gives what the model is told. */
  async function allowed(
    tool: string,
    args: Record<string, unknown>,
    shownOver: string,
    savedMeanwhile: string,
  ) {
    const file = join(scene.host.workspace, 'a.txt');
    writeFileSync(file, shownOver);
    scene.server.script([{ calls: [{ tool, args: { path: 'a.txt', ...args }, id: 'c1' }] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    writeFileSync(file, savedMeanwhile);
    await scene.allow(asked);
    await scene.host.next('turn_ended');
    return { told: toldOf(scene.server, 'c1'), left: readFileSync(file, 'utf8') };
  }

  it('A1 writes over a file only if it is still the one that was shown', async () => {
    const saved = 'one\ntwo\na line of the person\n';
    const { told, left } = await allowed('write', { text: 'new\n' }, 'one\ntwo\n', saved);
    assert.equal(left, saved);
    assert.match(String(told['detail']), /has changed since this was shown/);
  });

  it('A1 replaces all places only if they are still the ones that were shown', async () => {
    const saved = 'one\nnone of the person\n';
    const { told, left } = await allowed('edit', { old: 'one', new: 'X', all: true }, 'one\n', saved);
    assert.equal(left, saved);
    assert.match(String(told['detail']), /has changed since this edit was shown/);
  });

  it('A1 is made in a file that is as it was shown', async () => {
    const { left } = await allowed('edit', { old: 'one', new: 'X', all: true }, 'one\n', 'one\n');
    assert.equal(left, 'X\n');
  });
});

describe('a change in the mode "edits"', () => {
  const scene = scenes();

  it('A12 asks where git is configured to read or run the file, and is free beside it', async () => {
    const at = (path: string) => join(scene.host.workspace, path);
    mkdirSync(at('.git'));
    writeFileSync(at('.git/config'), '[include]\npath = ../shared\n[core]\nfsmonitor = tools/watch.sh\n');
    await scene.host.request('session/update', { session: scene.session, mode: 'edits' });
    const write = (path: string) => ({ tool: 'write', args: { path, text: 'x' }, id: path });
    scene.server.script([{ calls: [write('beside'), write('shared'), write('tools/watch.sh')] }, done()]);
    await scene.say('go');
    const mark = scene.host.mark;
    const first = await scene.asked();
    assert.equal(first.call, 'shared');
    const { items } = await scene.host.request('approval/list', { session: scene.session });
    assert.deepEqual(
      items.map((item) => item.call),
      ['shared', 'tools/watch.sh'],
    );
    for (const item of items) await scene.allow(item);
    await scene.host.next('turn_ended', mark);
    assert.ok(['beside', 'shared', 'tools/watch.sh'].every((path) => existsSync(at(path))));
  });
});
