/** A command that the person changes before allowing it: judged anew, run as changed, and kept in both texts. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalId } from '../../protocol';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('a command that is changed before it is allowed', () => {
  const scene = scenes();
  const there = (name: string) => existsSync(join(scene.host.workspace, name));
  const asks = async (...calls: ReturnType<typeof shell>[]) => {
    scene.server.script([{ calls }, done(), done(), done()]);
    await scene.say('go');
    return scene.asked();
  };
  const refusal = (asked: { id: ApprovalId; request: number }, rest: Record<string, unknown>) =>
    scene.host.refused('approval/answer', {
      approval: asked.id,
      request: asked.request,
      decision: 'allow',
      ...rest,
    });
  const audited = async () => (await scene.host.request('audit/list', { session: scene.session })).items[0];

  it('A3 R1 runs as changed; the model reads first what was run, and call and audit have both texts', async () => {
    const asked = await asks(shell('touch wrong', {}, 'c1'));
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.editable, true);
    await scene.allow(asked, { command: 'touch right && echo made' });
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.deepEqual([there('wrong'), there('right')], [false, true]);
    const told = toldOf(scene.server, 'c1');
    assert.equal(Object.keys(told)[0], 'note');
    assert.equal(told['note'], 'The person changed the command to: touch right && echo made');
    assert.match(String(told['stdout']), /made/);
    const edited = { from: 'touch wrong', to: 'touch right && echo made' };
    const page = await scene.host.request('transcript/read', { session: scene.session });
    const call = page.items[0]?.parts.find((part) => part.kind === 'call');
    assert.ok(call?.kind === 'call');
    assert.deepEqual(call.edited, edited);
    assert.deepEqual([call.title, call.args], [edited.to, { command: edited.to }]);
    const entry = await audited();
    assert.deepEqual([entry?.title, entry?.edited, entry?.by], [edited.to, edited, 'test']);
  });

  it('A7 A10 a deny rule wins over the change, and the request stays', async () => {
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'command', command: 'rm *', folder: scene.host.workspace },
    });
    const asked = await asks(shell('touch a', {}, 'c1'));
    const refused = await refusal(asked, { command: 'touch a; rm -rf b' });
    assert.equal(refused.code, 'invalid_params');
    assert.equal((await scene.host.request('approval/list', {})).items[0]?.preview.kind, 'command');
    await scene.allow(asked);
    await scene.host.next('turn_ended');
    assert.ok(there('a'));
    assert.equal((await audited())?.edited, undefined);
  });

  it('A12 a change that names the store, or is no command, is refused, and nothing is recorded', async () => {
    const asked = await asks(shell('touch a', {}, 'c1'));
    for (const command of [`cat ${scene.host.storeDir}/x`, '', 'a\0b'])
      assert.equal((await refusal(asked, { command })).code, 'invalid_params');
    assert.equal((await refusal(asked, { decision: 'deny', command: 'touch b' })).code, 'invalid_params');
    assert.equal((await scene.host.request('approval/list', {})).items.length, 1);
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    assert.deepEqual([there('a'), there('b')], [false, false]);
  });

  it('A3 a scope covers the changed command alone', async () => {
    const asked = await asks(shell('npm run a', {}, 'c1'));
    const reply = await scene.host.request('approval/answer', {
      approval: asked.id,
      request: asked.request,
      decision: 'allow',
      scope: 'workspace',
      command: 'touch a',
    });
    assert.deepEqual(reply.rule?.match, {
      kind: 'command',
      command: 'touch a',
      folder: scene.host.workspace,
    });
    await scene.host.next('turn_ended');
    const explain = (command: string) =>
      scene.host.request('rule/explain', { session: scene.session, tool: 'shell', args: { command } });
    assert.equal((await explain('touch a')).decision, 'allow');
    assert.equal((await explain('npm run a')).decision, 'ask');
  });

  it('A3 a scope that nothing can be offered for is refused, with nothing written', async () => {
    const asked = await asks(shell('touch a', {}, 'c1'));
    const refused = await refusal(asked, { scope: 'workspace', command: 'node -e 1' });
    assert.equal(refused.code, 'invalid_params');
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(items[0]?.preview, {
      kind: 'command',
      command: 'touch a',
      folder: scene.host.workspace,
    });
    assert.deepEqual((await scene.host.request('rule/list', {})).items, []);
    await scene.deny(asked);
  });

  it('A2 of two changes at once the first wins, and the other is told who answered', async () => {
    const asked = await asks(shell('true', {}, 'c1'));
    const [first, second] = await Promise.allSettled([
      scene.allow(asked, { command: 'touch a' }),
      scene.allow(asked, { command: 'touch b' }),
    ]);
    assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected']);
    await scene.host.next('turn_ended');
    assert.deepEqual([there('a'), there('b')], [true, false]);
  });

  it('P5 P7 changed and allowed while paused it starts nothing, and runs as changed after the release', async () => {
    const asked = await asks(shell('touch a', {}, 'c1'));
    await scene.host.request('host/pause', { by: 'test' });
    await scene.allow(asked, { command: 'touch b' });
    assert.deepEqual([there('a'), there('b')], [false, false]);
    await scene.host.request('host/resume', { by: 'test' });
    await scene.host.next('turn_ended');
    assert.deepEqual([there('a'), there('b')], [false, true]);
  });

  it('A4 a change that is dropped with its verdict is announced again as it was changed', async () => {
    const first = await asks(shell('exit 3', {}, 'c1'), shell('touch a', {}, 'c2'));
    const { items } = await scene.host.request('approval/list', {});
    const later = items.find(({ call }) => call === 'c2');
    assert.ok(later !== undefined);
    await scene.allow(later, { command: 'touch b' });
    const { mark } = scene.host;
    await scene.allow(first);
    const again = await scene.host.next('approval_requested', mark);
    assert.deepEqual(again.data.edited, { from: 'touch a', to: 'touch b' });
    assert.equal(again.data.title, 'touch b');
    await scene.allow({ id: again.data.id, request: 2 });
    await scene.host.next('turn_ended');
    assert.deepEqual([there('a'), there('b')], [false, true]);
  });

  it('A4 back to what the agent asked for is no change: for the model, the call and the audit', async () => {
    const first = await asks(shell('exit 3', {}, 'c1'), shell('touch a', {}, 'c2'));
    const { items } = await scene.host.request('approval/list', {});
    const later = items.find(({ call }) => call === 'c2');
    assert.ok(later !== undefined);
    await scene.allow(later, { command: 'touch b' });
    const { mark } = scene.host;
    await scene.allow(first);
    const again = await scene.host.next('approval_requested', mark);
    await scene.allow({ id: again.data.id, request: 2 }, { command: 'touch a' });
    await scene.host.next('turn_ended');
    assert.deepEqual([there('a'), there('b')], [true, false]);
    assert.equal(toldOf(scene.server, 'c2')['note'], undefined);
    const entry = (await scene.host.request('audit/list', { session: scene.session })).items.find(
      ({ call }) => call === 'c2',
    );
    assert.deepEqual([entry?.title, entry?.edited], ['touch a', undefined]);
    const page = await scene.host.request('transcript/read', { session: scene.session });
    const call = page.items[0]?.parts.find((part) => part.kind === 'call' && part.call_id === 'c2');
    assert.ok(call?.kind === 'call' && call.edited === undefined && call.title === 'touch a');
  });

  it('L12 the audit says why the changed command was asked for, and no longer why the one before', async () => {
    await scene.host.request('rule/add', {
      effect: 'ask',
      scope: 'workspace',
      match: { kind: 'command', command: 'touch wrong', folder: scene.host.workspace },
    });
    const asked = await asks(shell('touch wrong', {}, 'c1'));
    const before = await audited();
    await scene.allow(asked, { command: 'touch right' });
    await scene.host.next('turn_ended');
    const after = await audited();
    assert.ok(before?.rule !== undefined && after?.rule === undefined);
    assert.notEqual(before.why, after?.why);
  });

  it('L7 L9 a lifted command runs as changed under its handle, also after a crash', async () => {
    const asked = await asks(shell('touch a', {}, 'c1'));
    await scene.say('wait');
    await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    await scene.crash();
    const { mark } = scene.host;
    await scene.allow(asked, { command: 'touch b; echo made' });
    await scene.host.next('handle_ended', mark);
    assert.deepEqual([there('a'), there('b')], [false, true]);
    const { items } = await scene.host.request('handle/list', { session: scene.session });
    assert.equal(items[0]?.title, 'touch b; echo made');
    await scene.host.next('turn_ended', mark);
    const told = JSON.stringify(scene.server.requests.at(-1)?.items);
    assert.match(told, /The person changed the command to: touch b; echo made/);
  });
});
