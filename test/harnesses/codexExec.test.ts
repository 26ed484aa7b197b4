import assert from 'node:assert/strict';
import { MIB, SHIM_ENV } from '../../protocol';
import { agentScenes, assertGone, spoken } from '../support/agents/scene';
import { command, ended, message, plain, started, THREAD, usage } from '../support/agents/codexWords';

describe('codex exec', () => {
  const scene = agentScenes('codex-exec');

  it('H1 a prompt runs the person’s own codex in the session’s folder, and its words, calls and usage are the transcript', async () => {
    await scene.say('list the files');
    const puppet = await scene.stage.next();
    assert.equal(await puppet.input(), 'list the files');
    const [flag, server] = puppet.argv.slice(5, 7);
    assert.match(
      `${flag ?? ''} ${server ?? ''}`,
      /^-c mcp_servers\.belay=.*shim\.js/,
      'C3 its tools come by the shim',
    );
    const nonce = puppet.env[SHIM_ENV.nonce] ?? '';
    assert.ok(nonce.length > 40 && server?.includes('env_vars=["BELAY_RELAY_NONCE"]'));
    assert.ok(!puppet.argv.join(' ').includes(nonce), 'C4 no other user reads in `ps` what proves a request');
    assert.deepEqual(
      puppet.argv.filter((one) => one !== flag && one !== server),
      ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-'],
    );
    assert.equal(puppet.cwd, scene.host.workspace);
    await puppet.error('Reading prompt from stdin...\n');
    await puppet.say(
      ...started(),
      { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Model metadata not found.' } },
      message('item_1', 'Running it.'),
      { type: 'item.started', item: command('item_2', 'ls; exit 3') },
      { type: 'item.completed', item: ended('item_2', 'ls; exit 3', 'a.txt\n', 3) },
      message('item_3', 'There is one.'),
      usage(20, 10),
    );
    await puppet.exit(0);
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'completed');
    assert.deepEqual(
      { input: end.data.usage.inputTokens, output: end.data.usage.outputTokens },
      { input: 20, output: 10 },
    );
    const parts = scene.host.turns.at(-1)?.parts ?? [];
    assert.deepEqual(
      parts.map((part) => part.kind),
      ['message', 'text', 'call', 'text'],
    );
    const call = parts.find((part) => part.kind === 'call');
    assert.equal(call?.title, 'ls; exit 3');
    assert.deepEqual(call?.result, { stdout: 'a.txt\n', exit_code: 3, success: false });
    assert.deepEqual(spoken(scene.host), ['Running it.', 'There is one.']);
    const { items } = await scene.host.request('audit/list', {});
    assert.deepEqual(
      items.map((entry) => [entry.title, entry.by, entry.ran, entry.outcome]),
      [['ls; exit 3', 'agent', true, 'failed']],
    );
  });

  it('H3 killed work gets the one Resume, with every flag again and the work named; a second one gets none', async () => {
    await scene.say('run the tests');
    const first = await scene.stage.next();
    await first.input();
    await first.say(
      ...started(),
      { type: 'item.started', item: command('item_0', 'cargo test') },
      message('item_1', 'Waiting for the tests.'),
      usage(10, 5),
    );
    await first.exit(0);
    const resumed = await scene.host.next('agent_resumed');
    assert.deepEqual(resumed.data.killed, ['cargo test']);
    const second = await scene.stage.next();
    assert.deepEqual(second.argv.slice(-3), ['resume', THREAD, '-']);
    assert.deepEqual(second.argv.slice(0, 5), first.argv.slice(0, 5));
    assert.match(await second.input(), /killed:\n- cargo test\nRun again in the foreground/);
    await second.say(
      ...started(),
      { type: 'item.started', item: command('item_0', 'cargo test') },
      usage(20, 10),
    );
    await second.exit(0);
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'completed');
    assert.deepEqual(scene.host.events.filter((event) => event.type === 'agent_work_killed').length, 1);
    assert.equal(scene.stage.runs.length, 2);

    const mark = scene.host.mark;
    await scene.say('and now?');
    const third = await scene.stage.next();
    await third.input();
    await third.say(...started(), { type: 'turn.failed', error: { message: 'no quota' } });
    await third.exit(1);
    const failed = await scene.host.next('turn_ended', mark);
    assert.equal(failed.data.status, 'failed');
    assert.match(failed.data.detail ?? '', /still running \(cargo test\), which was killed\. Then: no quota/);
  });

  it('H3 a sub-agent whose spawn completed and whose end nobody saw is killed work', async () => {
    await scene.say('count');
    const puppet = await scene.stage.next();
    await puppet.input();
    const spawn = {
      id: 'item_1',
      type: 'collab_tool_call',
      tool: 'spawn_agent',
      sender_thread_id: THREAD,
      prompt: 'SUBTASK: count files\nin all folders',
    };
    await puppet.say(
      ...started(),
      {
        type: 'item.started',
        item: { ...spawn, receiver_thread_ids: [], agents_states: {}, status: 'in_progress' },
      },
      {
        type: 'item.completed',
        item: {
          ...spawn,
          receiver_thread_ids: ['child'],
          agents_states: { child: { status: 'pending_init', message: null } },
          status: 'completed',
        },
      },
      usage(10, 5),
    );
    await puppet.exit(0);
    const resumed = await scene.host.next('agent_resumed');
    assert.deepEqual(resumed.data.killed, ['agent spawn_agent: SUBTASK: count files']);
    await (await scene.stage.next()).input();
    await plain(scene.stage.runs[1]!);
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('H3 five prompts of one session can have five Resumes', async () => {
    for (let n = 0; n < 5; n += 1) {
      const mark = scene.host.mark;
      await scene.say(`prompt ${String(n)}`);
      const first = await scene.stage.next();
      await first.input();
      await first.say(
        ...started(),
        { type: 'item.started', item: command('item_0', 'sleep 9') },
        usage(1, 1),
      );
      await first.exit(0);
      const second = await scene.stage.next();
      assert.match(await second.input(), /sleep 9/);
      await plain(second);
      assert.equal((await scene.host.next('turn_ended', mark)).data.status, 'completed');
    }
    assert.equal(scene.stage.runs.length, 10);
  });

  it('H4 an interrupt sends INT alone to an obedient codex, ends its tree, and says which step ended it', async () => {
    const sent = await scene.say('wait');
    const puppet = await scene.stage.next();
    await puppet.input();
    const stray = await puppet.spawn('stray', 'sleep 300 & sleep 300');
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'sleep 300') });
    await scene.host.next('tool_started');
    const { turn } = sent as { turn: never };
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    await puppet.signal('SIGINT');
    await puppet.exit(1);
    await interrupted;
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'interrupted');
    assert.equal(end.data.code, 'cancelled');
    assert.deepEqual(end.data.stoppedBy, { step: 'SIGINT', survivors: [] });
    assert.deepEqual(puppet.signals, ['SIGINT']);
    assertGone([stray, puppet.pid]);
    const call = scene.host.events.find((event) => event.type === 'tool_completed');
    assert.equal((call?.data.result as { error?: string }).error, 'cancelled');
  });

  it('H3 a turn that Belay interrupted has no killed work and no Resume', async () => {
    const sent = (await scene.say('wait')) as { turn: never };
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'sleep 300') });
    await scene.host.next('tool_started');
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn: sent.turn });
    await puppet.signal('SIGINT');
    await puppet.say(usage(10, 5));
    await puppet.exit(0);
    await interrupted;
    assert.equal((await scene.host.next('turn_ended')).data.status, 'interrupted');
    assert.deepEqual(scene.stage.runs.length, 1);
    assert.ok(!scene.host.types().includes('agent_resumed'));
  });

  it('H4 a second interrupt skips a step: INT is ignored, then TERM', async () => {
    const sent = (await scene.say('wait')) as { turn: never };
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.say(...started());
    const params = { session: scene.session, turn: sent.turn };
    const first = scene.host.request('turn/interrupt', params);
    await puppet.signal('SIGINT');
    const second = scene.host.request('turn/interrupt', params);
    await puppet.signal('SIGTERM');
    await puppet.die('SIGTERM');
    await Promise.all([first, second]);
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.stoppedBy, { step: 'SIGTERM', survivors: [] });
    assert.deepEqual(puppet.signals, ['SIGINT', 'SIGTERM']);
  });

  it('H5 malformed, partial, unknown and huge lines are survived, and U+2028 ends no line', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.write('not json\n{"type":"thread.star');
    await puppet.write(
      `ted","thread_id":"${THREAD}"}\n{"type":"turn.started"}\n{"type":"novel","x":1}\n[]\n7\n`,
    );
    await puppet.long(
      '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"',
      17 * MIB,
      '"}}',
    );
    await puppet.say(message('b', 'a\u2028b'), {
      type: 'item.completed',
      item: { id: 'c', type: 'novelty' },
    });
    await puppet.say(usage(1, 1));
    await puppet.exit(0);
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.deepEqual(spoken(scene.host), ['a\u2028b']);
    assert.ok(scene.host.logs.some((line) => /A line of 1\d+ bytes was passed over/.test(line)));
  });

  it('H5 an exit without a last line is a failure with the error output; a failed turn has its own words', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.input();
    await puppet.error('\u001b[31mERROR\u001b[0m required MCP servers failed to initialize\n');
    await puppet.exit(1);
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.code, 'agent_failed');
    assert.match(end.data.detail ?? '', /codex exited with 1.*: ERROR required MCP servers failed/);

    const mark = scene.host.mark;
    await scene.say('again');
    const second = await scene.stage.next();
    await second.input();
    await second.say(...started(), { type: 'turn.failed', error: { message: 'stream disconnected' } });
    await second.exit(1);
    assert.equal((await scene.host.next('turn_ended', mark)).data.detail, 'stream disconnected');
  });

  it('H5 a process that dies by a signal of its own is lost, and what it left is ended', async () => {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.input();
    const stray = await puppet.spawn('stray', 'trap "" TERM; sleep 300');
    await puppet.say(...started(), { type: 'item.started', item: command('item_0', 'sleep 300') });
    await scene.host.next('tool_started');
    await puppet.die('SIGKILL');
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.code, 'agent_lost');
    const call = scene.host.events.find((event) => event.type === 'tool_completed');
    assert.equal((call?.data.result as { error?: string }).error, 'outcome_unknown');
    assertGone([stray]);
  });
});
