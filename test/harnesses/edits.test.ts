/** What outside agents change in files is shown and can be taken back, as far as it is known (H2). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentScenes, type AgentScene } from '../support/agents/scene';
import { canUse, init, result, said, toolResult, use } from '../support/agents/claudeWords';
import { started, usage } from '../support/agents/codexWords';
import { begin, item, of, told, turnTold } from '../support/agents/serverWords';
import type { Puppet } from '../support/agents/stage';

const lists = (scene: AgentScene) => ({
  at: (name: string) => join(scene.host.workspace, name),
  read: (name: string) => readFileSync(join(scene.host.workspace, name), 'utf8'),
  list: async () => (await scene.host.request('change/list', { session: scene.session })).items,
  short: async () =>
    (await scene.host.request('change/list', { session: scene.session })).items.map(
      ({ path, kind, added, removed, state, unknownBefore }) => [
        path.slice(scene.host.workspace.length + 1),
        kind,
        added,
        removed,
        state,
        unknownBefore,
      ],
    ),
  revert: async () =>
    (await scene.host.request('change/revert', { session: scene.session, by: 'test' })).items.map(
      ({ outcome, reason }) => [outcome, reason],
    ),
});

describe('files that Claude Code changes', () => {
  const scene = agentScenes('claude');
  const at = (name: string) => lists(scene).at(name);
  const read = (name: string) => lists(scene).read(name);
  const list = () => lists(scene).list();
  const short = () => lists(scene).short();
  const revert = () => lists(scene).revert();

  async function begun(): Promise<Puppet> {
    writeFileSync(at('a.txt'), 'one\ntwo\n');
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init());
    return puppet;
  }
  const edits = (name: string) => ({ file_path: at(name), old_string: 'two', new_string: 'zwei' });
  const heard = (puppet: Puppet) =>
    puppet.messageLike((message) => JSON.stringify(message).includes('"behavior":"allow"'));

  async function edited(puppet: Puppet, tool: string, input: object, write: () => void): Promise<void> {
    const { mark } = scene.host;
    await puppet.say(use('toolu_1', tool, input), canUse('r1', 'toolu_1', tool, input));
    await scene.verdict(await scene.asked(mark), 'allow');
    await heard(puppet);
    write();
    await puppet.say(toolResult('toolu_1', 'done'), said('Done.'), result('Done.'));
    await scene.host.next('turn_ended', mark);
  }

  it('H2 are listed with their lines and their turn, and put back to the very bytes', async () => {
    const puppet = await begun();
    await edited(puppet, 'Edit', edits('a.txt'), () => writeFileSync(at('a.txt'), 'one\nzwei\n'));
    assert.deepEqual(await short(), [['a.txt', 'modified', 1, 1, 'as_left', undefined]]);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    assert.deepEqual(items[0]?.changes, [{ path: at('a.txt'), kind: 'modified' }]);
    assert.deepEqual(await revert(), [['reverted', undefined]]);
    assert.equal(read('a.txt'), 'one\ntwo\n');
    assert.deepEqual(await list(), []);
  });

  it('H2 a new file is removed again; what the person wrote before the allow is theirs and comes back', async () => {
    const puppet = await begun();
    const input = { file_path: at('a.txt'), content: 'whole\n' };
    const { mark } = scene.host;
    await puppet.say(use('toolu_1', 'Write', input), canUse('r1', 'toolu_1', 'Write', input));
    const approval = await scene.asked(mark);
    writeFileSync(at('a.txt'), 'one\ntwo\nmine\n');
    await scene.verdict(approval, 'allow');
    await heard(puppet);
    writeFileSync(at('a.txt'), 'whole\n');
    const other = { file_path: at('new.txt'), content: 'n\n' };
    const second = scene.host.mark;
    await puppet.say(
      toolResult('toolu_1', 'done'),
      use('toolu_2', 'Write', other),
      canUse('r2', 'toolu_2', 'Write', other),
    );
    await scene.verdict(await scene.asked(second), 'allow');
    await heard(puppet);
    writeFileSync(at('new.txt'), 'n\n');
    await puppet.say(toolResult('toolu_2', 'done'), result('Done.'));
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(await short(), [
      ['a.txt', 'modified', 1, 3, 'as_left', undefined],
      ['new.txt', 'created', 1, 0, 'as_left', undefined],
    ]);
    assert.deepEqual(await revert(), [
      ['reverted', undefined],
      ['reverted', undefined],
    ]);
    assert.equal(read('a.txt'), 'one\ntwo\nmine\n');
    assert.equal(existsSync(at('new.txt')), false);
  });

  it('H2 what was edited since stays as it is', async () => {
    const puppet = await begun();
    await edited(puppet, 'Edit', edits('a.txt'), () => writeFileSync(at('a.txt'), 'one\nzwei\n'));
    writeFileSync(at('a.txt'), 'one\nzwei\nmine\n');
    assert.deepEqual(await revert(), [['refused', 'edited_since']]);
    assert.equal(read('a.txt'), 'one\nzwei\nmine\n');
  });

  it('H2 an edit that Claude did unasked is listed without a before, and is not put back', async () => {
    const puppet = await begun();
    const { mark } = scene.host;
    await puppet.say(use('toolu_1', 'Edit', edits('a.txt')));
    await scene.host.next('calls_planned', mark);
    writeFileSync(at('a.txt'), 'one\nzwei\n');
    await puppet.say(toolResult('toolu_1', 'done'), result('Done.'));
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(await short(), [['a.txt', 'modified', undefined, undefined, 'as_left', true]]);
    const sides = await scene.host.request('change/read', { session: scene.session, path: at('a.txt') });
    assert.equal(sides.before, undefined);
    assert.deepEqual(await revert(), [['refused', 'before_unknown']]);
    assert.equal(read('a.txt'), 'one\nzwei\n');
  });

  it('H2 a denied edit and one that changed nothing are no change', async () => {
    const puppet = await begun();
    const { mark } = scene.host;
    await puppet.say(use('toolu_1', 'Edit', edits('a.txt')), canUse('r1', 'toolu_1', 'Edit', edits('a.txt')));
    await scene.verdict(await scene.asked(mark), 'deny', { reason: 'no' });
    await puppet.messageLike((message) => JSON.stringify(message).includes('"deny"'));
    writeFileSync(at('a.txt'), 'by the person\n');
    await puppet.say(toolResult('toolu_1', 'denied', { is_error: true }));
    const second = scene.host.mark;
    await puppet.say(use('toolu_2', 'Edit', edits('a.txt')), canUse('r2', 'toolu_2', 'Edit', edits('a.txt')));
    await scene.verdict(await scene.asked(second), 'allow');
    await heard(puppet);
    await puppet.say(toolResult('toolu_2', 'not found', { is_error: true }), result('Done.'));
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(await list(), []);
  });

  it('P4 R5 what an agent had written when it was ended is a change, although it never told its result', async () => {
    const puppet = await begun();
    await puppet.say(use('toolu_1', 'Edit', edits('a.txt')), canUse('r1', 'toolu_1', 'Edit', edits('a.txt')));
    await scene.verdict(await scene.asked(), 'allow');
    await heard(puppet);
    writeFileSync(at('a.txt'), 'one\nzwei\n');
    await puppet.die('SIGKILL');
    await scene.host.next('turn_ended');
    assert.deepEqual(await short(), [['a.txt', 'modified', 1, 1, 'as_left', undefined]]);
  });
});

describe('files that codex changes', () => {
  const scene = agentScenes('codex');

  it('H2 a patch of several files: changed, moved and deleted ones, and all of it put back', async () => {
    const { at, short } = lists(scene);
    for (const name of ['a.txt', 'old.txt', 'gone.txt']) writeFileSync(at(name), `${name}\n`);
    const { puppet } = await begin(scene);
    const patch = {
      type: 'fileChange',
      id: 'call_1',
      status: 'inProgress',
      changes: [
        { path: at('a.txt'), kind: { type: 'update', move_path: null }, diff: '@@ -1 +1 @@\n-a.txt\n+A\n' },
        { path: at('old.txt'), kind: { type: 'update', move_path: at('new.txt') }, diff: '' },
        { path: at('gone.txt'), kind: { type: 'delete' }, diff: 'gone.txt\n' },
      ],
    };
    await puppet.say(item('started', patch), {
      ...told('item/fileChange/requestApproval', { ...of(), itemId: 'call_1' }),
      id: 0,
    });
    await scene.verdict(await scene.asked(), 'allow');
    await puppet.messageLike((message) => message['id'] === 0 && 'result' in message);
    writeFileSync(at('a.txt'), 'A\n');
    writeFileSync(at('new.txt'), 'old.txt\n');
    rmSync(at('old.txt'));
    rmSync(at('gone.txt'));
    await puppet.say(
      item('completed', { ...patch, status: 'completed' }),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    assert.deepEqual(await short(), [
      ['a.txt', 'modified', 1, 1, 'as_left', undefined],
      ['old.txt', 'deleted', 0, 1, 'as_left', undefined],
      ['new.txt', 'created', 1, 0, 'as_left', undefined],
      ['gone.txt', 'deleted', 0, 1, 'as_left', undefined],
    ]);
    await scene.restart();
    assert.deepEqual(
      (await lists(scene).revert()).map(([outcome]) => outcome),
      ['reverted', 'reverted', 'reverted', 'reverted'],
    );
    for (const name of ['a.txt', 'old.txt', 'gone.txt']) assert.equal(lists(scene).read(name), `${name}\n`);
    assert.equal(existsSync(lists(scene).at('new.txt')), false);
    assert.deepEqual(await lists(scene).list(), []);
  });

  it('H2 a deleted file that somebody made anew is not written over', async () => {
    const { at, short } = lists(scene);
    writeFileSync(at('gone.txt'), 'old\n');
    const { puppet } = await begin(scene);
    const patch = {
      type: 'fileChange',
      id: 'call_1',
      status: 'inProgress',
      changes: [{ path: at('gone.txt'), kind: { type: 'delete' }, diff: 'old\n' }],
    };
    await puppet.say(item('started', patch), {
      ...told('item/fileChange/requestApproval', { ...of(), itemId: 'call_1' }),
      id: 0,
    });
    await scene.verdict(await scene.asked(), 'allow');
    await puppet.messageLike((message) => message['id'] === 0 && 'result' in message);
    rmSync(at('gone.txt'));
    await puppet.say(
      item('completed', { ...patch, status: 'completed' }),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    writeFileSync(at('gone.txt'), 'mine\n');
    assert.deepEqual(await short(), [['gone.txt', 'deleted', 0, 1, 'edited', undefined]]);
    assert.deepEqual(await lists(scene).revert(), [['refused', 'edited_since']]);
    assert.equal(lists(scene).read('gone.txt'), 'mine\n');
  });
});

describe('files that codex exec changes', () => {
  const scene = agentScenes('codex-exec', { mode: 'full' });

  it('H2 are told only afterwards: listed as such, without a before', async () => {
    const { at, short, revert } = lists(scene);
    writeFileSync(at('a.txt'), 'A\n');
    await scene.say('go');
    const puppet = await scene.stage.next();
    const file_change = {
      id: 'item_1',
      type: 'file_change',
      status: 'completed',
      changes: [
        { path: at('a.txt'), kind: 'update' },
        { path: at('gone.txt'), kind: 'delete' },
      ],
    };
    await puppet.say(...started(), { type: 'item.completed', item: file_change }, usage(1, 1));
    await puppet.exit(0);
    await scene.host.next('turn_ended');
    assert.deepEqual(await short(), [
      ['a.txt', 'modified', undefined, undefined, 'as_left', true],
      ['gone.txt', 'deleted', undefined, undefined, 'as_left', true],
    ]);
    assert.deepEqual(await revert(), [
      ['refused', 'before_unknown'],
      ['refused', 'before_unknown'],
    ]);
  });
});

describe('files that an ACP agent changes', () => {
  const scene = agentScenes('acp:puppet');
  const tell = async (puppet: Puppet, method: string, reply: object) => {
    const asked = await puppet.messageLike((message) => message['method'] === method);
    await puppet.say({ jsonrpc: '2.0', id: asked['id'], result: reply });
  };

  it('H2 that it asked for are compared with the disk, whatever the agent says was there', async () => {
    const { at, read, short, revert } = lists(scene);
    writeFileSync(at('a.txt'), 'one\ntwo\n');
    await scene.say('go');
    const puppet = await scene.stage.next();
    await tell(puppet, 'initialize', { protocolVersion: 1, agentCapabilities: {} });
    await tell(puppet, 'session/new', { sessionId: 'acp-1' });
    const prompt = await puppet.messageLike((message) => message['method'] === 'session/prompt');
    const call = {
      toolCallId: 'c1',
      title: 'Edit a.txt',
      kind: 'edit',
      content: [{ type: 'diff', path: at('a.txt'), oldText: 'two', newText: 'zwei' }],
      locations: [{ path: at('a.txt') }],
    };
    const update = (one: object) => ({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 'acp-1', update: one },
    });
    await puppet.say(update({ sessionUpdate: 'tool_call', status: 'pending', ...call }), {
      jsonrpc: '2.0',
      id: 7,
      method: 'session/request_permission',
      params: {
        sessionId: 'acp-1',
        toolCall: call,
        options: [
          { kind: 'allow_once', name: 'Allow', optionId: 'yes' },
          { kind: 'reject_once', name: 'Reject', optionId: 'no' },
        ],
      },
    });
    await scene.verdict(await scene.asked(), 'allow');
    await puppet.messageLike((message) => message['id'] === 7 && 'result' in message);
    writeFileSync(at('a.txt'), 'one\nzwei\n');
    await puppet.say(update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' }), {
      jsonrpc: '2.0',
      id: prompt['id'],
      result: { stopReason: 'end_turn' },
    });
    await scene.host.next('turn_ended');
    assert.deepEqual(await short(), [['a.txt', 'modified', 1, 1, 'as_left', undefined]]);
    assert.deepEqual(await revert(), [['reverted', undefined]]);
    assert.equal(read('a.txt'), 'one\ntwo\n');
  });
});
