/** A message lifts a look at a terminal, and what has come is left for the next one (L1, L3, L4, L5, L7). */
import assert from 'node:assert/strict';
import { done, scenes, shell, toldOf } from '../support/scene';
import { ended, free, open, readUntil, tell, terminal, View, write } from './support';

describe('a message and the terminals', function () {
  this.timeout(20_000);
  const scene = scenes({ settings: { handles: { wakeIdleSession: false }, limits: { steerGraceMs: 20 } } });

  it('L1 L3 L7 a steer lifts the first look; its output is there for the next', async () => {
    await free(scene);
    const call = terminal({ command: 'echo first; read x; echo $x', yield_ms: 30_000 });
    scene.server.script([{ calls: [call] }, done()]);
    await scene.say('go');
    const started = await scene.host.next('handle_started');
    const view = await View.attach(scene.host, started.data.handle);
    await view.shows('first');
    await scene.say('stop waiting');
    const lifted = await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    assert.equal(lifted.data.handle, started.data.handle);
    assert.deepEqual(toldOf(scene.server, call.id), {
      handle: started.data.handle,
      background: true,
      steered: true,
    });
    assert.equal(scene.host.events.filter((event) => event.type === 'handle_started').length, 1);
    const next = await tell(scene, write(started.data.handle, { text: 'typed\r', yield_ms: 5_000 }));
    assert.equal(next['output'], 'first\ntyped\ntyped\n');
    assert.equal(next['exit_code'], 0);
  });

  it('L1 L7 a steer lifts a read, cancels nothing, and the read text is read again', async () => {
    await free(scene);
    const handle = await open(scene, { command: 'read x; echo got $x; read x' });
    const mark = scene.host.mark;
    const call = write(handle, { text: 'one\r', yield_ms: 30_000 });
    scene.server.script([{ calls: [call] }, done()]);
    await scene.say('go');
    const view = await View.attach(scene.host, handle);
    await view.shows('got one');
    await scene.say('read this now');
    const lifted = await scene.host.next('call_lifted', mark);
    await scene.host.next('turn_ended', mark);
    assert.deepEqual([lifted.data.call_id, lifted.data.handle], [call.id, handle]);
    assert.deepEqual(toldOf(scene.server, call.id), { handle, background: true, steered: true });
    const next = await tell(scene, write(handle, { yield_ms: 0 }));
    assert.equal(next['output'], 'one\ngot one\n');
    await scene.host.request('handle/stop', { handle });
  });

  it('L7 what was typed at another session’s terminal stays refused when a lifted call is allowed', async () => {
    await free(scene);
    const handle = await open(scene, { command: 'cat' });
    const { session } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'ask',
    });
    const mark = scene.host.mark;
    scene.server.script([{ calls: [write(handle, { text: 'from elsewhere\r' })] }, done()]);
    await scene.host.request('message/send', { session: session.id, text: 'go' });
    const asked = await scene.asked(mark);
    await scene.host.request('message/send', { session: session.id, text: 'what is it?' });
    await scene.host.next('call_lifted', mark);
    await scene.host.next('turn_ended', mark);
    await scene.allow(asked);
    await scene.host.next('handle_ended', mark);
    const { output } = await scene.host.request('handle/read', { handle });
    assert.equal(JSON.stringify(output).includes('elsewhere'), false);
    await scene.host.request('handle/stop', { handle });
  });

  it('L5 the later calls of the same answer go on, lifted as well, and in order', async () => {
    await free(scene);
    const first = terminal({ command: 'read x', yield_ms: 30_000 });
    const second = terminal({ command: 'echo second; read x', yield_ms: 30_000 });
    scene.server.script([{ calls: [first, second] }, done()]);
    await scene.say('go');
    await scene.host.next('handle_started');
    await scene.say('now');
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, second.id), { handle: 'proc:2', background: true, steered: true });
    assert.equal(await readUntil(scene, write('proc:2', { yield_ms: 500 }), '\n'), 'second\n');
    for (const handle of ['proc:1', 'proc:2'] as const)
      await scene.host.request('handle/stop', {
        handle: scene.host.snapshot!.handles.find((one) => one.id === handle)!.id,
      });
  });

  it('A1 L7 a terminal asks; lifted while it asks and allowed later, it runs with its first output for the next read', async () => {
    const call = terminal({ command: 'echo allowed; read x' });
    scene.server.script([{ calls: [call] }, done()]);
    await scene.say('go');
    const approval = await scene.asked();
    await scene.say('first something else');
    const lifted = await scene.host.next('call_lifted');
    await scene.host.next('turn_ended');
    assert.equal(lifted.data.waits_for, 'approval');
    assert.equal(lifted.data.content.kind, 'terminal');
    await scene.allow(approval);
    const started = await scene.host.next('handle_started');
    assert.equal(started.data.handle, lifted.data.handle);
    await free(scene);
    const read = await readUntil(scene, write(lifted.data.handle, { yield_ms: 500 }), '\n');
    assert.equal(read, 'allowed\n');
    await scene.host.request('handle/stop', { handle: lifted.data.handle });
    assert.equal((await ended(scene.host, lifted.data.handle)).data.end, 'stopped');
  });

  it('A1 text that is typed asks like a command and is named; to read and to end asks nothing', async () => {
    const opened = terminal({ command: 'read x; echo $x; read x', yield_ms: 0 });
    scene.server.script([{ calls: [opened] }, done()]);
    await scene.say('go');
    await scene.allow(await scene.asked());
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    const typed = write('proc:1', { text: 'rm -r /\r', yield_ms: 200 });
    scene.server.script([{ calls: [typed] }, done()]);
    await scene.say('type');
    const asked = await scene.host.next('approval_requested', mark);
    assert.equal(asked.data.title, 'Type "rm -r /\\r" into proc:1');
    assert.deepEqual(asked.data.preview, {
      kind: 'command',
      command: 'rm -r /\r',
      folder: scene.host.workspace,
    });
    await scene.deny({ id: asked.data.id, request: asked.data.request }, 'no');
    await scene.host.next('turn_ended', mark);
    const read = await tell(scene, write('proc:1', { yield_ms: 0 }));
    assert.deepEqual([read['output'], read['running']], ['', true]);
    const killed = await tell(scene, write('proc:1', { kill: true }));
    assert.deepEqual(killed, { handle: 'proc:1', stopped: true, ran: true });
    const { items } = await scene.host.request('audit/list', {});
    assert.ok(items.some((entry) => entry.title.includes('rm -r /') && entry.decision === 'deny'));
  });

  it('L7 a typed text that was lifted while it asked is typed when it is allowed', async () => {
    await free(scene);
    const handle = await open(scene, { command: 'read x; echo got $x; read x' });
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    const mark = scene.host.mark;
    scene.server.script([{ calls: [write(handle, { text: 'late\r' })] }, done()]);
    await scene.say('go');
    const approval = await scene.asked(mark);
    await scene.say('first this');
    const lifted = await scene.host.next('call_lifted', mark);
    await scene.host.next('turn_ended', mark);
    assert.notEqual(lifted.data.handle, handle);
    await scene.allow(approval);
    assert.equal((await ended(scene.host, lifted.data.handle)).data.end, 'completed');
    await free(scene);
    const read = await readUntil(scene, write(handle, { yield_ms: 500 }), 'got late\n');
    assert.equal(read, 'late\ngot late\n');
    await scene.host.request('handle/stop', { handle });
  });

  it('L12 what is typed under a handle is in the audit when the agent did it, and never when a person did', async () => {
    await free(scene);
    const handle = await open(scene, { command: 'cat' });
    await tell(scene, write(handle, { text: 'by the agent\r', yield_ms: 0 }));
    await scene.host.request('handle/write', { handle, text: 'by the person\r' });
    await scene.host.request('handle/stop', { handle });
    const { text } = await scene.host.request('audit/export', {});
    assert.match(text, /by the agent/);
    assert.doesNotMatch(text, /by the person/);
    const entry = (await scene.host.request('audit/list', {})).items.find((one) => one.handle === handle);
    assert.deepEqual([entry?.tool, entry?.outcome, entry?.ran], ['terminal', 'stopped', true]);
  });

  it('L10 the end of a terminal wakes its agent, with what it printed last; wait collects it more than once', async () => {
    await free(scene);
    const handle = await open(scene, { command: 'read x; echo bye; exit 3' });
    await scene.host.request('handle/write', { handle, text: '\r' });
    await ended(scene.host, handle);
    const wait = { tool: 'wait', args: { handles: [handle] }, id: 'collect' };
    for (let n = 0; n < 2; n += 1) {
      const mark = scene.host.mark;
      scene.server.script([{ calls: [{ ...wait, id: `collect${n}` }] }, done()]);
      await scene.say('collect');
      await scene.host.next('turn_ended', mark);
      const { results } = toldOf(scene.server, `collect${n}`) as {
        results: Record<string, Record<string, unknown>>;
      };
      assert.equal(results[handle]?.['exit_code'], 3);
      assert.match(String(results[handle]?.['output']), /bye\n$/);
    }
    assert.ok(
      scene.host.events.some((event) => event.type === 'note_told' && event.data.text.includes('bye')),
    );
  });

  it('R11 write_stdin says what a handle is that is no running terminal', async () => {
    await free(scene);
    assert.equal((await tell(scene, write('proc:99', { text: 'x' })))['error'], 'handle_unknown');
    const mark = scene.host.mark;
    scene.server.script([{ calls: [shell('sleep 100', { background: true })] }, done()]);
    await scene.say('go');
    const started = await scene.host.next('handle_started', mark);
    await scene.host.next('turn_ended', mark);
    const command = await tell(scene, write(started.data.handle, { text: 'x' }));
    assert.match(String(command['detail']), /takes no input: only a terminal does/);
    await scene.host.request('handle/stop', { handle: started.data.handle });
    const over = await tell(scene, terminal({ command: 'echo over' }));
    const handle = String(over['handle']);
    const typed = await tell(scene, write(handle, { text: 'x' }));
    assert.deepEqual([typed['running'], typed['ended']], [false, 'exited']);
    assert.match(String(typed['detail']), /has ended: nothing was typed/);
    const refused = await scene.host.refused('handle/write', { handle: over['handle'] as never, text: 'x' });
    assert.equal(refused.code, 'handle_ended');
  });
});
