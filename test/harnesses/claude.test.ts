import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { agentScenes, assertGone, isAlive, spoken } from '../support/agents/scene';
import {
  aborted,
  bash,
  canUse,
  confirmed,
  init,
  result,
  said,
  SESSION,
  task,
  taskEnd,
  toolResult,
  use,
} from '../support/agents/claudeWords';
import type { Puppet } from '../support/agents/stage';

const isUser = (message: Record<string, unknown>) => message['type'] === 'user';
const textOf = (message: Record<string, unknown>) => (message['message'] as { content: string }).content;
const subtypeOf = (message: Record<string, unknown>) =>
  (message['request'] as { subtype?: string } | undefined)?.subtype;

describe('claude', () => {
  const scene = agentScenes('claude');

  async function begun(text = 'go'): Promise<{ puppet: Puppet; turn: never }> {
    const { turn } = (await scene.say(text)) as { turn: never };
    const puppet = await scene.stage.next();
    assert.equal(textOf(await puppet.messageLike(isUser)), text);
    await puppet.say(init());
    return { puppet, turn };
  }

  async function asking(command = 'touch made.txt') {
    const { puppet, turn } = await begun();
    await puppet.say(
      said('Running.'),
      bash('toolu_1', command),
      canUse('r1', 'toolu_1', 'Bash', { command }),
    );
    return { puppet, turn, approval: await scene.asked() };
  }

  it('H1 its words stream, its calls and usage are the transcript, and the warm process takes the next prompt', async () => {
    const { puppet } = await begun();
    assert.ok(puppet.argv.includes('--permission-prompt-tool'));
    assert.ok(puppet.argv.includes('--setting-sources=user'), 'the workspace’s settings are not read (A12)');
    await puppet.say(
      {
        type: 'stream_event',
        parent_tool_use_id: null,
        event: { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Look' } },
      },
      said('Looking.'),
      use('toolu_1', 'Read', { file_path: `${scene.host.workspace}/a.txt` }),
      toolResult('toolu_1', 'one'),
      said('Done.'),
      result('Done.'),
    );
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'completed');
    assert.deepEqual(end.data.usage, { inputTokens: 14, outputTokens: 5, cachedTokens: 4, costUsd: 0.001 });
    assert.ok(scene.host.types().includes('text_delta'));
    assert.deepEqual(spoken(scene.host), ['Looking.', 'Done.']);
    const mark = scene.host.mark;
    await scene.say('more');
    assert.equal(textOf(await puppet.messageLike(isUser)), 'more');
    await puppet.say(init(), said('More.'), result('More.', { total_cost_usd: 0.003 }));
    const second = await scene.host.next('turn_ended', mark);
    assert.equal(second.data.usage.costUsd, 0.002);
    assert.equal(scene.stage.runs.length, 1);
  });

  it('A1 H2 a write over a file shows what it loses, and an edit of all places shows each of them', async () => {
    const { puppet } = await begun();
    const path = `${scene.host.workspace}/a.txt`;
    writeFileSync(path, 'one\r\ntwo\r\none\r\n');
    let n = 0;
    const preview = async (tool: string, input: object) => {
      const id = String(++n);
      const mark = scene.host.mark;
      await puppet.say(use(`toolu_${id}`, tool, input), canUse(`r${id}`, `toolu_${id}`, tool, input));
      const approval = await scene.asked(mark);
      const { items } = await scene.host.request('approval/list', {});
      await scene.verdict(approval, 'deny');
      const shown = items[0]?.preview;
      return shown?.kind === 'diff' ? [shown.created, shown.removed, shown.added, shown.diff] : [shown?.kind];
    };
    const written = await preview('Write', { file_path: path, content: 'new\n' });
    assert.deepEqual(written.slice(0, 3), [false, 3, 1]);
    const edit = { file_path: path, old_string: 'one', new_string: '$& X' };
    const all = await preview('Edit', { ...edit, replace_all: true });
    assert.deepEqual(all, [
      false,
      2,
      2,
      '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+$& X\n two\n-one\n+$& X\n',
    ]);
    const several = await preview('MultiEdit', {
      file_path: path,
      edits: [
        { old_string: 'two', new_string: 'three' },
        { old_string: 'three\none', new_string: 'four\nfive' },
      ],
    });
    assert.deepEqual(several.slice(0, 3), [false, 2, 2]);
    // What stands at several places and is meant once will fail: only its words are shown.
    assert.deepEqual((await preview('Edit', edit)).slice(0, 3), [false, 1, 1]);
    const fresh = { file_path: `${scene.host.workspace}/b.txt`, content: 'b\n' };
    assert.deepEqual((await preview('Write', fresh)).slice(0, 3), [true, 0, 1]);
    writeFileSync(path, Buffer.from([0, 1, 2]));
    assert.deepEqual(await preview('Write', { file_path: path, content: 'new\n' }), ['arguments']);
  });

  it('H2 a permission is an approval with the same title, preview and rules, and an allow sends back what was shown', async () => {
    const { puppet, approval } = await asking();
    const { items } = await scene.host.request('approval/list', { session: scene.session });
    assert.equal(items[0]?.title, 'touch made.txt');
    assert.deepEqual(items[0]?.preview, {
      kind: 'command',
      command: 'touch made.txt',
      folder: scene.host.workspace,
    });
    assert.ok((items[0]?.offers.length ?? 0) > 0);
    await scene.verdict(approval, 'allow', { scope: 'session' });
    const answer = await puppet.messageLike((message) => message['type'] === 'control_response');
    assert.deepEqual(answer['response'], {
      subtype: 'success',
      request_id: 'r1',
      response: { behavior: 'allow', updatedInput: { command: 'touch made.txt' } },
    });
    await puppet.say(toolResult('toolu_1', 'ok'));
    await scene.host.next('tool_completed');
    // The rule that the scope has written answers the same request by itself.
    await puppet.say(
      bash('toolu_2', 'touch made.txt'),
      canUse('r2', 'toolu_2', 'Bash', { command: 'touch made.txt' }),
    );
    const again = await puppet.messageLike((message) => message['type'] === 'control_response');
    assert.equal((again['response'] as { request_id: string }).request_id, 'r2');
    await puppet.say(toolResult('toolu_2', 'ok'), result('Done.'));
    await scene.host.next('turn_ended');
    const audit = await scene.host.request('audit/list', {});
    assert.deepEqual(audit.items.map((entry) => [entry.title, entry.decision, entry.ran]).sort(), [
      ['touch made.txt', 'allow', true],
      ['touch made.txt', 'allow', true],
    ]);
  });

  it('H2 A3 a denial reaches the agent with its reason, and nothing ran', async () => {
    const { puppet, approval } = await asking();
    await scene.verdict(approval, 'deny', { reason: 'not now' });
    const answer = await puppet.messageLike((message) => message['type'] === 'control_response');
    assert.deepEqual((answer['response'] as { response: object }).response, {
      behavior: 'deny',
      message: 'not now',
    });
    const done = await scene.host.next('tool_completed');
    assert.deepEqual(done.data.result, { error: 'approval_denied', detail: 'not now' });
    assert.ok(!scene.host.types().includes('tool_started'));
    await puppet.say(toolResult('toolu_1', 'not now', { is_error: true }), result('Well.'));
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });

  it('A12 an edit of what decides over the agent asks in every mode; an ordinary one is free in "edits"', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'edits' });
    const { puppet } = await begun();
    const edit = (name: string) => ({
      file_path: `${scene.host.workspace}/${name}`,
      old_string: 'a',
      new_string: 'b',
    });
    await puppet.say(use('toolu_1', 'Edit', edit('src.ts')), canUse('r1', 'toolu_1', 'Edit', edit('src.ts')));
    const free = await puppet.messageLike((message) => message['type'] === 'control_response');
    assert.equal((free['response'] as { response: { behavior: string } }).response.behavior, 'allow');
    await puppet.say(
      use('toolu_2', 'Edit', edit('.vscode/settings.json')),
      canUse('r2', 'toolu_2', 'Edit', edit('.vscode/settings.json')),
    );
    const approval = await scene.asked();
    const { items } = await scene.host.request('approval/list', {});
    assert.equal(items[0]?.title, 'Edit .vscode/settings.json');
    assert.equal(items[0]?.preview.kind, 'diff');
    await scene.verdict(approval, 'deny');
  });

  it('L1 a message while a permission waits is handed over at once, cancels nothing, and says when it is read', async () => {
    const { puppet, approval } = await asking();
    await scene.say('what does it do?');
    const line = await puppet.messageLike(isUser);
    assert.equal(textOf(line), 'what does it do?');
    const handed = await scene.host.next('message_handed');
    assert.equal(handed.data.reads, 'after_request');
    const { items } = await scene.host.request('message/list', { session: scene.session });
    const waiting = items.find((message) => message.state === 'accepted');
    assert.equal(waiting?.handed, 'after_request');
    const refused = await scene.host.refused('message/edit', { message: waiting.id, text: 'x' });
    assert.equal(refused.code, 'message_read_already');
    assert.equal((await scene.host.request('approval/list', {})).items.length, 1);
    await scene.verdict(approval, 'allow');
    await puppet.messageLike((message) => message['type'] === 'control_response');
    await puppet.say(
      toolResult('toolu_1', 'ok'),
      { ...line, isReplay: true, session_id: SESSION },
      said('It makes a file.'),
      result('It makes a file.'),
    );
    const end = await scene.host.next('turn_ended');
    assert.equal(end.data.status, 'completed');
    const read = scene.host.events.filter((event) => event.type === 'message_read').at(-1);
    assert.equal(read?.data.text, 'what does it do?');
    assert.equal(scene.host.events.filter((event) => event.type === 'turn_started').length, 1);
  });

  it('T3 a message that the agent reads only after its result begins a turn of its own', async () => {
    const { puppet } = await begun();
    await puppet.say(said('Working.'));
    await scene.host.next('message_completed');
    await scene.say('late');
    const line = await puppet.messageLike(isUser);
    await scene.host.next('message_handed');
    await puppet.say(result('Done.'));
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await puppet.say(init(), { ...line, isReplay: true }, said('Now this.'), result('Now this.'));
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.data.status, 'completed');
    const parts = scene.host.turns.at(-1)?.parts ?? [];
    assert.deepEqual(
      parts.map((part) => part.kind),
      ['message', 'text'],
    );
  });

  it('H4 an interrupt asks in the protocol, ends what is left of its work, and the warm process stays', async () => {
    const { puppet, turn } = await begun();
    const stray = await puppet.spawn('stray', 'trap "" TERM INT HUP; sleep 300');
    await puppet.say(bash('toolu_1', 'sleep 300'));
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    const asked = await puppet.messageLike((message) => subtypeOf(message) === 'interrupt');
    await puppet.say(confirmed(asked['request_id']), aborted());
    await interrupted;
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.stoppedBy, { step: 'interrupt', survivors: [] });
    assert.equal(end.data.status, 'interrupted');
    assertGone([stray]);
    assert.ok(isAlive(puppet.pid));
    assert.deepEqual(puppet.signals, []);
    const mark = scene.host.mark;
    await scene.say('again');
    await puppet.messageLike(isUser);
    await puppet.say(init(), said('Again.'), result('Again.'));
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.stage.runs.length, 1);
  });

  it('H4 work in the background is stopped by stop_task; a pending permission ends with the turn', async () => {
    const { puppet, turn } = await begun();
    await puppet.say(
      task('b1', 'dev server'),
      bash('toolu_1', 'rm x'),
      canUse('r1', 'toolu_1', 'Bash', { command: 'rm x' }),
    );
    await scene.asked();
    const interrupted = scene.host.request('turn/interrupt', { session: scene.session, turn });
    await puppet.messageLike((message) => subtypeOf(message) === 'interrupt');
    await puppet.say({ type: 'control_cancel_request', request_id: 'r1' }, aborted());
    const stop = await puppet.messageLike((message) => subtypeOf(message) === 'stop_task');
    assert.equal((stop['request'] as { task_id: string }).task_id, 'b1');
    await puppet.say(taskEnd('b1', 'killed'));
    await interrupted;
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.stoppedBy, { step: 'stop_task', survivors: [] });
    assert.deepEqual((await scene.host.request('approval/list', {})).items, []);
    assert.ok(
      !scene.host.types().includes('agent_resumed'),
      'a turn that Belay interrupted has no killed work (H3)',
    );
  });

  it('H4 one that obeys nothing is ended step by step, each skipped by another interrupt', async () => {
    const { puppet, turn } = await begun();
    const params = { session: scene.session, turn };
    const first = scene.host.request('turn/interrupt', params);
    await puppet.messageLike((message) => subtypeOf(message) === 'interrupt');
    const second = scene.host.request('turn/interrupt', params);
    // It has no tasks that could be stopped, so its input ends at once.
    await puppet.until(() => (puppet.eof ? true : undefined));
    const third = scene.host.request('turn/interrupt', params);
    await puppet.signal('SIGTERM');
    const last = scene.host.request('turn/interrupt', params);
    await Promise.all([first, second, third, last]);
    const end = await scene.host.next('turn_ended');
    assert.deepEqual(end.data.stoppedBy, { step: 'SIGKILL', survivors: [] });
    assertGone([puppet.pid]);
  });

  it('H5 API errors are told as failures although their subtype is success; retries are shown', async () => {
    const { puppet } = await begun();
    await puppet.say(
      {
        type: 'system',
        subtype: 'api_retry',
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: 500,
        error: 'overloaded',
      },
      result('API Error: 400 bad', { is_error: true }),
    );
    const end = await scene.host.next('turn_ended');
    assert.deepEqual([end.data.code, end.data.detail], ['agent_failed', 'API Error: 400 bad']);
    const retry = scene.host.events.find((event) => event.type === 'model_retry');
    assert.equal(retry?.data.attempts, 10);
  });

  it('H5 exit 0 without a result is no success', async () => {
    const { puppet } = await begun();
    await puppet.exit(0);
    assert.equal((await scene.host.next('turn_ended')).data.code, 'agent_lost');
  });

  it('T1 background work that ends wakes the agent: its words are a turn of their own', async () => {
    const { puppet } = await begun();
    await puppet.say(task('b1', 'build'), said('Building.'), result('Building.'));
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await puppet.say(
      taskEnd('b1', 'completed'),
      init(),
      said('It is built.'),
      result('It is built.', { origin: { kind: 'task-notification' } }),
    );
    const end = await scene.host.next('turn_ended', mark);
    assert.equal(end.data.status, 'completed');
    assert.equal(scene.host.turns.at(-1)?.cause, 'wake');
    assert.deepEqual(spoken(scene.host), ['It is built.']);
  });

  it('H1 a task that goes on behind its turn is a handle: stopped by stop_task, ended by Claude’s word', async () => {
    const { puppet } = await begun();
    await puppet.say(
      bash('toolu_1', 'npm run dev', { run_in_background: true }),
      { ...task('b1', 'dev server'), tool_use_id: 'toolu_1' },
      toolResult('toolu_1', 'Command running in background with ID: b1'),
      said('It runs.'),
      result('It runs.'),
    );
    const started = await scene.host.next('handle_started');
    await scene.host.next('turn_ended');
    const { handle } = started.data;
    const [listed] = (await scene.host.request('handle/list', {})).items;
    assert.deepEqual([listed?.title, listed?.state], ['npm run dev', 'running']);
    const stopped = scene.host.request('handle/stop', { handle });
    const asked = await puppet.messageLike((message) => subtypeOf(message) === 'stop_task');
    assert.equal((asked['request'] as { task_id: string }).task_id, 'b1');
    await puppet.say(taskEnd('b1', 'killed'));
    assert.deepEqual(await stopped, { handle, stopped: true, ran: true });
    assert.equal((await scene.host.next('handle_ended')).data.end, 'stopped');
  });

  it('H3 tasks that die with the process behind a good end get the one Resume', async () => {
    const { puppet } = await begun();
    await puppet.say(task('b1', 'npm test'), said('Waiting.'), result('Waiting.'));
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await puppet.exit(0);
    const resumed = await scene.host.next('agent_resumed', mark);
    assert.deepEqual(resumed.data.killed, ['npm test']);
    const second = await scene.stage.next();
    assert.deepEqual(second.argv.slice(-2), ['--resume', SESSION]);
    assert.match(
      textOf(await second.messageLike(isUser)),
      /killed:\n- npm test\nRun again in the foreground/,
    );
    await second.say(init(), task('b2', 'npm test'), result('Waiting again.'));
    await scene.host.next('turn_ended', mark);
    await second.exit(0);
    const told = await scene.host.next('agent_work_killed', mark);
    assert.deepEqual(told.data.killed, ['npm test']);
    assert.equal(scene.stage.runs.length, 2);
  });
});
