/** An agent at work is ended when nothing may hold it any more (A1, A11). */
import assert from 'node:assert/strict';
import { agentScenes, assertGone } from '../support/agents/scene';
import { command, ended, started, usage } from '../support/agents/codexWords';

describe('codex exec at work', () => {
  const scene = agentScenes('codex-exec', { mode: 'full' });

  async function atWork() {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'make') });
    await scene.host.next('tool_started');
    return puppet;
  }

  it('A11 is ended when trust is lost, and its turn says why', async () => {
    const puppet = await atWork();
    await scene.host.request('settings/update', { trusted: false });
    await puppet.signal('SIGINT');
    await puppet.exit(1);
    const { data } = await scene.host.next('turn_ended');
    assert.deepEqual([data.status, data.code], ['failed', 'untrusted_workspace']);
    assertGone([puppet.pid]);
    assert.equal(scene.stage.runs.length, 1);
  });

  it('A1 A7 is ended when the mode is lowered, since it cannot ask; Continue goes on in the new mode', async () => {
    const puppet = await atWork();
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    await puppet.signal('SIGINT');
    await puppet.exit(1);
    const { data } = await scene.host.next('turn_ended');
    assert.equal(data.status, 'interrupted');
    assert.match(data.detail ?? '', /^The mode was lowered, and this agent cannot ask/);
    const mark = scene.host.mark;
    await scene.host.request('turn/continue', { session: scene.session });
    const next = await scene.stage.next();
    assert.ok(next.argv.includes('read-only'), next.argv.join(' '));
    await next.exit(1);
    await scene.host.next('turn_ended', mark);
  });

  it('A1 goes on when the mode is raised', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    const puppet = await atWork();
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await puppet.say({ type: 'item.completed', item: ended('item_0', 'make', '', 0) }, usage(1, 1));
    await puppet.exit(0);
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.deepEqual(puppet.signals, []);
  });
});
