/** What gets into the store of files that an outside agent names (H2, A1, R10). */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentScenes } from '../support/agents/scene';
import { canUse, init, result, toolResult, use } from '../support/agents/claudeWords';
import { begin, item, turnTold } from '../support/agents/serverWords';
import type { Puppet } from '../support/agents/stage';

/** Whether a kept content holds this text. */
function stored(storeDir: string, text: string): boolean {
  const folder = join(storeDir, 'blobs');
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .some((path) => readFileSync(path, 'utf8').includes(text));
}

describe('files that Claude Code only names', () => {
  const scene = agentScenes('claude', { settings: { protectedReads: true } });
  const at = (name: string) => join(realpathSync(scene.host.workspace), name);
  const list = async () => (await scene.host.request('change/list', { session: scene.session })).items;
  const read = (path: string) => scene.host.request('change/read', { session: scene.session, path });
  const holds = (text: string) => stored(scene.host.storeDir, text);

  async function begun(): Promise<Puppet> {
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init());
    return puppet;
  }
  async function unasked(paths: readonly string[]): Promise<void> {
    const puppet = await begun();
    for (const [place, path] of paths.entries()) {
      const id = `toolu_${String(place)}`;
      await puppet.say(use(id, 'Write', { file_path: path, content: 'x' }), toolResult(id, 'done'));
    }
    await puppet.say(result('Done.'));
    await scene.host.next('turn_ended');
  }

  it('H2 A1 outside the workspace, or below /proc, bring no content into the store', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'belay-outside-')));
    try {
      const key = join(outside, 'notes.txt');
      writeFileSync(key, 'a private note\n');
      writeFileSync(at('a.txt'), 'of the workspace\n');
      await unasked([key, '/proc/self/environ', at('a.txt')]);
      assert.deepEqual(
        (await list()).map(({ path, state, unkept }) => [path, state, unkept]),
        [
          [key, 'as_left', true],
          [at('a.txt'), 'as_left', undefined],
        ],
      );
      assert.deepEqual(await read(key), {});
      assert.equal(holds('a private note'), false);
      assert.equal(holds('PATH='), false);
      assert.equal(holds('of the workspace'), true);
    } finally {
      rmSync(outside, { recursive: true, force: true });
    }
  });

  it('H2 A1 bring none of what a read rule or belay.protectedReads keeps back', async () => {
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'path', path: at('plans.txt'), access: 'read' },
      by: 'test',
    });
    writeFileSync(at('.env'), 'TOKEN=kept back\n');
    writeFileSync(at('plans.txt'), 'plans kept back\n');
    await unasked([at('.env'), at('plans.txt')]);
    assert.deepEqual(
      (await list()).map(({ unkept, unknownBefore }) => [unkept, unknownBefore]),
      [
        [true, true],
        [true, true],
      ],
    );
    assert.equal(holds('kept back'), false);
  });

  it('H2 what a person has allowed is kept on both sides, as of an edit of Belay’s own, and can be put back', async () => {
    writeFileSync(at('.env'), 'TOKEN=one\n');
    const puppet = await begun();
    const input = { file_path: at('.env'), content: 'TOKEN=two\n' };
    await puppet.say(use('toolu_1', 'Write', input), canUse('r1', 'toolu_1', 'Write', input));
    await scene.verdict(await scene.asked(), 'allow');
    await puppet.messageLike((message) => JSON.stringify(message).includes('"behavior":"allow"'));
    writeFileSync(at('.env'), 'TOKEN=two\n');
    await puppet.say(toolResult('toolu_1', 'done'), result('Done.'));
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('change/revert', { session: scene.session, by: 'test' });
    assert.deepEqual(
      items.map(({ outcome }) => outcome),
      ['reverted'],
    );
    assert.equal(readFileSync(at('.env'), 'utf8'), 'TOKEN=one\n');
  });
});

describe('files that a person edits while an agent is at them', () => {
  const scene = agentScenes('claude');
  const at = (name: string) => join(realpathSync(scene.host.workspace), name);
  const edit = () => ({ file_path: at('a.txt'), old_string: 'two', new_string: 'zwei' });
  const read = () => readFileSync(at('a.txt'), 'utf8');
  const revert = async () =>
    (await scene.host.request('change/revert', { session: scene.session, by: 'test' })).items.map(
      ({ outcome, reason }) => [outcome, reason],
    );

  async function allowed(puppet: Puppet, request: string): Promise<void> {
    const { mark } = scene.host;
    await puppet.say(canUse(request, 'toolu_1', 'Edit', edit()));
    await scene.verdict(await scene.asked(mark), 'allow');
    await puppet.messageLike(
      (message) =>
        JSON.stringify(message).includes('"behavior":"allow"') && JSON.stringify(message).includes(request),
    );
  }
  async function begun(): Promise<Puppet> {
    writeFileSync(at('a.txt'), 'one\ntwo\n');
    await scene.say('go');
    const puppet = await scene.stage.next();
    await puppet.say(init(), use('toolu_1', 'Edit', edit()));
    await allowed(puppet, 'r1');
    return puppet;
  }

  it('H2 R9 a line between two allows of one edit is not lost to a revert', async () => {
    const puppet = await begun();
    writeFileSync(at('a.txt'), 'one\ntwo\nmine\n');
    await allowed(puppet, 'r2');
    writeFileSync(at('a.txt'), 'one\nzwei\nmine\n');
    await puppet.say(toolResult('toolu_1', 'done'), result('Done.'));
    await scene.host.next('turn_ended');
    assert.deepEqual(await revert(), [['refused', 'before_unknown']]);
    assert.equal(read(), 'one\nzwei\nmine\n');
  });

  it('H2 R9 nor is what the person saved when the agent ended without a word on its edit', async () => {
    const puppet = await begun();
    writeFileSync(at('a.txt'), 'one\ntwo\nmine\n');
    await puppet.die('SIGKILL');
    await scene.host.next('turn_ended');
    assert.deepEqual(await revert(), [['refused', 'before_unknown']]);
    assert.equal(read(), 'one\ntwo\nmine\n');
  });
});

describe('many files of one edit', () => {
  const scene = agentScenes('codex');

  it('R10 leave up to 16 MiB in the store, and what is beyond that is listed as not kept', async () => {
    const FILES = 100;
    const folder = realpathSync(scene.host.workspace);
    const names = Array.from({ length: FILES }, (_, n) => join(folder, `f${String(n)}.txt`));
    for (const [n, name] of names.entries()) writeFileSync(name, String(n).padEnd(204_800, '.'));
    const { puppet } = await begin(scene);
    const changes = names.map((path) => ({ path, kind: { type: 'update', move_path: null }, diff: '' }));
    const patch = { type: 'fileChange', id: 'call_1', changes };
    await puppet.say(
      item('started', { ...patch, status: 'inProgress' }),
      item('completed', { ...patch, status: 'completed' }),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('change/list', { session: scene.session, limit: 256 });
    assert.equal(items.length, FILES);
    const kept = items.filter(({ unkept }) => unkept !== true).length;
    assert.equal(kept, Math.floor((16 * 1_048_576) / 204_800));
    assert.ok(items.every(({ state }) => state === 'as_left'));
  });
});
