import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentScenes, assertGone } from '../support/agents/scene';
import { command, message, plain, started, THREAD, usage } from '../support/agents/codexWords';

describe('codex exec: its conversation', () => {
  const scene = agentScenes('codex-exec');

  it('H6 a session id counts only once a turn of it existed', async () => {
    await scene.say('one');
    const first = await scene.stage.next();
    await first.input();
    await first.say({ type: 'thread.started', thread_id: THREAD });
    await first.exit(1);
    await scene.host.next('turn_ended');
    await scene.say('two');
    const second = await scene.stage.next();
    assert.ok(!second.argv.includes('resume'));
    // The first message has never reached a turn of the agent's.
    assert.equal(await second.input(), 'one\n\ntwo');
    await plain(second);
    const mark = scene.host.mark;
    await scene.say('three');
    const third = await scene.stage.next();
    assert.deepEqual(third.argv.slice(-3), ['resume', THREAD, '-']);
    await third.input();
    await plain(third);
    await scene.host.next('turn_ended', mark);
  });

  it('H6 a resume that silently began another thread says that the conversation is lost, and the next is fresh', async () => {
    await scene.say('one');
    const first = await scene.stage.next();
    await first.input();
    await plain(first);
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await scene.say('two');
    const second = await scene.stage.next();
    await second.input();
    await second.say(...started('00000000-0000-7000-8000-000000000009'));
    await second.signal('SIGINT');
    await second.exit(1);
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.data.code, 'conversation_lost');
    await scene.say('three');
    const third = await scene.stage.next();
    assert.ok(!third.argv.includes('resume'));
    await third.input();
    await plain(third);
  });

  it('H7 a pause ends the agent and its tree before it answers; after release the conversation goes on', async () => {
    await scene.say('work');
    const puppet = await scene.stage.next();
    await puppet.input();
    const stray = await puppet.spawn('stray', 'sleep 300');
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'npm test') });
    await scene.host.next('tool_started');
    const paused = scene.host.request('host/pause', { by: 'test' });
    await puppet.signal('SIGINT');
    await puppet.exit(1);
    const { ended: told } = await paused;
    assert.deepEqual(
      told.map((one) => one.kind),
      ['agent'],
    );
    await scene.host.next('host_quiet');
    assertGone([stray, puppet.pid]);
    const call = scene.host.events.find((event) => event.type === 'tool_completed');
    assert.equal((call?.data.result as { error?: string }).error, 'host_paused');
    assert.equal(scene.stage.runs.length, 1);
    const { starting } = await scene.host.request('host/resume', { by: 'test' });
    assert.deepEqual(
      starting.map((one) => one.kind),
      ['turn'],
    );
    const again = await scene.stage.next();
    assert.deepEqual(again.argv.slice(-3), ['resume', THREAD, '-']);
    assert.match(await again.input(), /Your process was ended while you were at work/);
    await plain(again, 'Went on.');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('P1 after a pause no prompt is sent; the message is read after release', async () => {
    await scene.host.request('host/pause', { by: 'test' });
    await scene.say('later');
    assert.equal(scene.stage.runs.length, 0);
    await scene.host.request('host/resume', { by: 'test' });
    const puppet = await scene.stage.next();
    assert.equal(await puppet.input(), 'later');
    await plain(puppet);
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('T3 a steer waits for the end of a turn that takes none, and begins the next', async () => {
    await scene.say('one');
    const first = await scene.stage.next();
    await first.input();
    await first.say(...started());
    const sent = (await scene.say('two')) as { state: string };
    assert.equal(sent.state, 'steering');
    await plain(first);
    const second = await scene.stage.next();
    assert.equal(await second.input(), 'two');
    const mark = scene.host.mark;
    await plain(second);
    await scene.host.next('turn_ended', mark);
  });

  it('T10 a host that was killed ends the turn as lost, its agent is gone, and Continue resumes the conversation', async () => {
    await scene.say('work');
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'npm test') });
    await scene.host.next('tool_started');
    await scene.crash();
    await puppet.ended();
    const turns = await scene.host.request('turn/list', { session: scene.session });
    assert.deepEqual(
      turns.items.map((turn) => [turn.status, turn.code]),
      [['interrupted', 'host_lost']],
    );
    await scene.host.request('turn/continue', { session: scene.session });
    const again = await scene.stage.next();
    assert.deepEqual(again.argv.slice(-3), ['resume', THREAD, '-']);
    assert.match(await again.input(), /Go on with the task/);
    await plain(again);
    await scene.host.next('turn_ended');
  });

  it('R11 an agent that is not on this machine is told with the way to get it', async () => {
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'harness', harness: 'codex-exec' },
    });
    await scene.host.request('settings/update', {
      settings: { harnesses: { codex: { path: '/nowhere/codex' } } },
    });
    await scene.host.request('message/send', { session: session.id, text: 'go' });
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.code, 'agent_missing');
    assert.match(end.data.detail ?? '', /npm install -g @openai\/codex/);
    const refused = await scene.host.refused('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'harness', harness: 'nonsense' },
    });
    assert.equal(refused.code, 'invalid_params');
  });

  it('H4 empty folders that codex leaves are removed when they were not there before, and no others', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.spawn('litter', 'mkdir .agents .codex .aws; touch .aws/kept', false);
    await puppet.say(...started(), message('item_0', 'Done.'), usage(1, 1));
    await puppet.until(() => (existsSync(join(scene.host.workspace, '.aws', 'kept')) ? true : undefined));
    await puppet.exit(0);
    await scene.host.next('turn_ended');
    assert.deepEqual(readdirSync(scene.host.workspace), ['.aws']);
  });
});
