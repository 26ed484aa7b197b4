import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import { answer, begin, command, item, of, told, turnTold, words } from '../support/agents/serverWords';

describe('work that codex leaves running behind a turn', () => {
  const scene = agentScenes('codex');

  /** A turn that has ended, with a terminal of codex's that goes on. */
  async function inBackground() {
    const rest = await begin(scene);
    await rest.puppet.say(
      item('started', command('call_1', 'npm run dev', { processId: '9' })),
      told('item/commandExecution/outputDelta', { ...of(), itemId: 'call_1', delta: 'ready\n' }),
      item('completed', words('m1', 'It runs.')),
      turnTold('turn/completed', 'completed'),
    );
    const started = await scene.host.next('handle_started');
    await scene.host.next('turn_ended');
    return { ...rest, handle: started.data.handle };
  }

  it('H1 is a handle: listed, read, and stopped in codex’s own way', async () => {
    const { puppet, handle } = await inBackground();
    const [listed] = (await scene.host.request('handle/list', {})).items;
    assert.deepEqual(
      [listed?.id, listed?.kind, listed?.title, listed?.state],
      [handle, 'command', 'npm run dev', 'running'],
    );
    await puppet.say(
      told('item/commandExecution/outputDelta', { ...of(), itemId: 'call_1', delta: 'GET /\n' }),
      told('item/commandExecution/outputDelta', { ...of(), itemId: 'call_1', delta: 'end' }),
    );
    await scene.host.next('tool_progress', 0, (event) => event.data.text.endsWith('end'));
    const { output } = await scene.host.request('handle/read', { handle });
    assert.equal(output, 'ready\nGET /\nend');
    const stopped = scene.host.request('handle/stop', { handle });
    await answer(puppet, 'thread/backgroundTerminals/list', {
      data: [
        { processId: '8', itemId: 'another' },
        { processId: '9', itemId: 'call_1' },
      ],
    });
    const ending = await answer(puppet, 'thread/backgroundTerminals/terminate', { terminated: true });
    assert.equal((ending['params'] as { processId: string }).processId, '9');
    const gone = { processId: '9', status: 'failed', aggregatedOutput: 'ready\n', exitCode: -1 };
    await puppet.say(item('completed', command('call_1', 'npm run dev', gone)));
    assert.deepEqual(await stopped, { handle, stopped: true, ran: true });
    assert.equal((await scene.host.next('handle_ended')).data.end, 'stopped');
    assert.equal(
      scene.host.snapshot?.sessions[0]?.state,
      'idle',
      'codex knows it by itself: it is not woken',
    );
  });

  it('H7 P1 is ended with the process by a pause, and its handle says so', async () => {
    const { puppet, handle } = await inBackground();
    const pulled = scene.host.request('host/pause', { by: 'test' });
    await answer(puppet, 'thread/backgroundTerminals/list', { data: [] });
    await puppet.until(() => (puppet.eof ? true : undefined));
    void puppet.exit(0);
    const { ended } = await pulled;
    assert.ok(ended.some((one) => one.title === 'npm run dev'));
    const over = await scene.host.next('handle_ended', 0, (event) => event.data.handle === handle);
    assert.equal(over.data.end, 'host_paused');
  });

  it('H3 R5 is lost with its process, and nothing of it stays open', async () => {
    const { puppet, handle } = await inBackground();
    await puppet.die('SIGKILL');
    const over = await scene.host.next('handle_ended', 0, (event) => event.data.handle === handle);
    assert.equal(over.data.end, 'lost');
    assert.deepEqual((await scene.host.next('agent_resumed')).data.killed, ['npm run dev']);
  });
});
