import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { meetsUnsaved } from '../../protocol/unsavedFiles';
import { HostClient, localModel } from '../support/hostClient';
import { done, scenes, toldOf } from '../support/scene';

describe('files that the person has changed and not saved', () => {
  const scene = scenes();
  const at = (name: string) => join(scene.host.workspace, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const edit = { tool: 'edit', args: { path: 'a.txt', old: 'two', new: 'zwei' }, id: 'c1' };
  const unsaved = (...names: readonly string[]) =>
    scene.host.request('editor/unsaved', { paths: names.map(at) });
  const mode = (to: 'ask' | 'edits') =>
    scene.host.request('session/update', { session: scene.session, mode: to });
  /** One turn with these calls, to its end. */
  const turn = async (...calls: readonly { tool: string; args: object; id?: string }[]) => {
    scene.server.script([{ calls: [...calls] }, done()]);
    const mark = scene.host.mark;
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
  };
  const told = (call = 'c1') => toldOf(scene.server, call);

  beforeEach(() => writeFileSync(at('a.txt'), 'one\ntwo\n'));

  it('R11 are not written by edit and write: the model is told to ask for them to be saved', async () => {
    await mode('edits');
    await unsaved('a.txt', 'new.txt');
    await turn(edit, { tool: 'write', args: { path: 'new.txt', text: 'new\n' }, id: 'c2' });
    assert.equal(read('a.txt'), 'one\ntwo\n');
    assert.equal(existsSync(at('new.txt')), false);
    assert.deepEqual(
      [told('c1'), told('c2')].map(({ error }) => error),
      ['file_unsaved', 'file_unsaved'],
    );
    assert.match(String(told()['detail']), /unsaved changes.*Nothing was written/);
    await unsaved();
    await turn(edit);
    assert.equal(read('a.txt'), 'one\nzwei\n', 'saved, it is written');
  });

  it('P2 are not written either when they become unsaved between the verdict and the write', async () => {
    scene.server.script([{ calls: [edit] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    // Both are on their way before the host has done anything about the verdict.
    const allowed = scene.allow(asked);
    const said = unsaved('a.txt');
    await Promise.all([allowed, said, scene.host.next('turn_ended')]);
    assert.equal(told()['error'], 'file_unsaved');
    assert.equal(read('a.txt'), 'one\ntwo\n');
  });

  it('are known by where they lead, whatever way the agent goes there', async () => {
    await mode('edits');
    symlinkSync(at('a.txt'), at('link.txt'));
    await unsaved('link.txt');
    await turn(edit);
    assert.equal(told()['error'], 'file_unsaved');
  });

  it('are told with what is read and searched, which is the disk’s', async () => {
    await unsaved('a.txt');
    writeFileSync(at('b.txt'), 'two\n');
    const path = (name: string, id: string) => ({ tool: 'read', args: { path: name }, id });
    await turn(path('a.txt', 'c1'), path('b.txt', 'c2'), {
      tool: 'search',
      args: { pattern: 'two' },
      id: 'c3',
    });
    assert.match(String(told('c1')['unsaved']), /unsaved changes/);
    assert.equal(told('c1')['text'], 'one\ntwo\n');
    assert.equal(told('c2')['unsaved'], undefined);
    assert.match(String(told('c3')['unsaved']), /unsaved changes in: a\.txt\./);
  });

  it('are not put back by a revert, which says what to do', async () => {
    await mode('edits');
    await turn(edit, { tool: 'write', args: { path: 'new.txt', text: 'new\n' }, id: 'c2' });
    await unsaved('a.txt', 'new.txt');
    const revert = async () => (await scene.host.request('change/revert', { session: scene.session })).items;
    const items = await revert();
    assert.deepEqual(
      items.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['refused', 'unsaved'],
        ['refused', 'unsaved'],
      ],
    );
    assert.match(items[0]?.detail ?? '', /save or discard/);
    assert.equal(read('a.txt'), 'one\nzwei\n');
    await unsaved();
    assert.deepEqual(
      (await revert()).map(({ outcome }) => outcome),
      ['reverted', 'reverted'],
    );
  });

  it('are in what every surface shows, so that a request of one can say so before it is allowed', async () => {
    scene.server.script([{ calls: [edit] }, done()]);
    await scene.say('go');
    await scene.asked();
    const [approval] = (await scene.host.request('approval/list', {})).items;
    assert.ok(approval !== undefined);
    assert.equal(meetsUnsaved(approval, scene.host.snapshot?.host), false);
    await unsaved('a.txt');
    await scene.host.next('unsaved_changed');
    assert.equal(meetsUnsaved(approval, scene.host.snapshot?.host), true);
    const { snapshot } = await scene.host.request('events/subscribe', {});
    assert.deepEqual(snapshot.host.unsaved, [at('a.txt')]);
    assert.deepEqual(scene.host.snapshot, snapshot, 'the fold and the listing agree');
    await unsaved();
    await scene.host.next('unsaved_changed', 0, ({ data }) => data.paths.length === 0);
    assert.equal(meetsUnsaved(approval, scene.host.snapshot?.host), false);
  });

  it('R10 of which a client names too many are refused with a code', async () => {
    const paths = Array.from({ length: 4_097 }, (_, place) => `/w/${String(place)}`);
    assert.equal((await scene.host.refused('editor/unsaved', { paths })).code, 'invalid_params');
  });

  it('D4 of any window count for all, and go with it; who takes over knows its own', async () => {
    await mode('edits');
    const { storeDir, workspace } = scene.host;
    const second = HostClient.spawn({ settings: localModel(scene.server.url), storeDir, workspace });
    try {
      await second.initialize();
      await second.request('editor/unsaved', { paths: [at('a.txt')] });
      await turn(edit);
      assert.equal(told()['error'], 'file_unsaved');
      await unsaved('b.txt');
      await second.next('unsaved_changed', 0, ({ data }) => data.paths.length === 2);
      assert.deepEqual(second.snapshot?.host.unsaved?.toSorted(), [at('a.txt'), at('b.txt')]);
      await scene.host.kill();
      await second.next('store_changed', 0, (event) => !event.data.readOnly);
      const { snapshot } = await second.request('events/subscribe', {});
      assert.deepEqual(snapshot.host.unsaved, [at('a.txt')]);
    } finally {
      await second.stop();
    }
  });

  it('D4 of a window that has joined are forgotten when it goes', async () => {
    const { storeDir, workspace } = scene.host;
    const second = HostClient.spawn({ settings: localModel(scene.server.url), storeDir, workspace });
    await second.initialize();
    await second.request('editor/unsaved', { paths: [at('a.txt')] });
    await scene.host.next('unsaved_changed', 0, ({ data }) => data.paths.length === 1);
    await second.stop();
    await scene.host.next('unsaved_changed', 0, ({ data }) => data.paths.length === 0);
  });
});
