/** Offers that cover more than the very call: a command with further words, all files of a folder (A3, A10, A12). */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '../../protocol';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('wider offers', () => {
  const scene = scenes({ settings: { approvals: { holdMs: 0 } } });

  const write = (path: string, id?: string) => ({
    tool: 'write',
    args: { path, text: 'x' },
    ...(id === undefined ? {} : { id }),
  });
  const explain = async (tool: string, args: unknown) =>
    (await scene.host.request('rule/explain', { session: scene.session, tool, args })).decision;
  const edits = (path: string) => explain('write', { path, text: 'x' });

  async function waiting(): Promise<Approval> {
    await scene.asked();
    const [first] = (await scene.host.request('approval/list', {})).items;
    assert.ok(first !== undefined);
    return first;
  }
  const offer = ({ offers }: Approval, label: string, scope = 'session') => {
    const found = offers.find((one) => one.label === label && one.scope === scope);
    assert.ok(found !== undefined, JSON.stringify(offers));
    return { scope: found.scope, match: found.match };
  };

  it('A3 A7 a command with further words: one verdict covers the others of its round and a later turn, after a restart as well', async () => {
    mkdirSync(join(scene.host.workspace, 'src'));
    scene.server.script([{ calls: [shell('ls src', {}, 'c1'), shell('ls -a', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, ({ data }) => data.call_id === 'c2');
    const asked = await waiting();
    const label = `\`ls\` with further names, paths that stay inside, and options that only choose or show, in ${scene.host.workspace}`;
    const answered = await scene.host.request('approval/answer', {
      approval: asked.id,
      request: asked.request,
      decision: 'allow',
      ...offer(asked, label),
    });
    assert.equal(answered.rule?.label, label);
    await scene.host.next('turn_ended');
    assert.match(String(toldOf(scene.server, 'c2')['stdout']), /src/);
    const mark = scene.host.mark;
    scene.server.script([
      {
        calls: [
          shell('ls src -a', {}, 'c3'),
          { tool: 'list', args: {}, id: 'c4' },
          { tool: 'note', args: { text: 'x' }, id: 'c5' },
        ],
      },
      done(),
    ]);
    await scene.say('again');
    await scene.host.next('turn_ended', mark);
    const started = scene.host.events.flatMap((event) =>
      event.type === 'tool_started' ? [[event.data.call_id, event.data.rule]] : [],
    );
    assert.deepEqual(started, [
      ['c1', undefined],
      ['c2', undefined],
      ['c3', label],
      ['c4', 'mode ask'],
      ['c5', undefined],
    ]);
    assert.deepEqual(
      scene.host.turns.at(-1)?.parts.flatMap((part) => (part.kind === 'call' ? [part.rule] : [])),
      [label, 'mode ask', undefined],
    );
    await scene.restart();
    assert.equal(await explain('shell', { command: 'ls -la' }), 'allow');
    assert.equal(await explain('shell', { command: 'ls ..' }), 'ask');
    assert.equal(await explain('shell', { command: 'ls; touch x' }), 'ask');
  });

  it('A1 A10 further words cover nothing behind a link that leads out, and no file whose reading asks or is denied', async () => {
    const { workspace } = scene.host;
    for (const folder of ['src', 'keys']) mkdirSync(join(workspace, folder));
    writeFileSync(join(workspace, '.env'), 'A=1\n');
    symlinkSync('/tmp', join(workspace, 'out'));
    symlinkSync(join(workspace, '.env'), join(workspace, 'src/plain'));
    for (const command of ['git log', 'ls'] as const) {
      const match = { kind: 'command', command, folder: workspace, further: true } as const;
      await scene.host.request('rule/add', { effect: 'allow', scope: 'workspace', match });
    }
    const judged = async (...commands: readonly string[]) =>
      Promise.all(commands.map((command) => explain('shell', { command })));
    const kept = ['git log -p -- .env', 'git log -p -- ./.ENV', 'git log -p src/plain'];
    const folders = ['git log -p -- keys', 'git log -p -- keys/a.txt'];
    assert.deepEqual(await judged(...kept, ...folders), Array(5).fill('allow'));
    assert.deepEqual(await judged('ls out', 'ls out/sub', 'git log out', 'ls src'), [
      'ask',
      'ask',
      'ask',
      'allow',
    ]);
    for (const [effect, pattern] of [
      ['deny', '.env*'],
      ['ask', 'keys/**'],
    ] as const)
      await scene.host.request('rule/add', {
        effect,
        scope: 'workspace',
        match: { kind: 'pattern', pattern, access: 'read' },
      });
    assert.deepEqual(await judged(...kept, ...folders), Array(5).fill('ask'));
    assert.deepEqual(await judged('git log -p -- src', 'ls'), ['allow', 'allow']);
  });

  it('A3 R11 an offer that is none is refused, and so is one without a scope; the request goes on waiting', async () => {
    scene.server.script([{ calls: [shell('touch one', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await waiting();
    const verdict = { approval: asked.id, request: asked.request, decision: 'allow' } as const;
    const match = {
      kind: 'command',
      command: 'touch',
      folder: scene.host.workspace,
      further: true,
    } as const;
    for (const scope of ['session', 'once'] as const) {
      const refused = await scene.host.refused('approval/answer', { ...verdict, scope, match });
      assert.equal(refused.code, 'invalid_params', scope);
    }
    const drafted = await scene.host.refused('rule/add', { effect: 'allow', scope: 'workspace', match });
    assert.equal(drafted.code, 'invalid_params');
    assert.deepEqual((await scene.host.request('rule/list', {})).items, []);
    await scene.deny(asked);
    await scene.host.next('turn_ended');
  });

  it('A3 A12 all files of a folder: nothing beside it, behind a link, outside of the workspace, or protected', async () => {
    const { workspace } = scene.host;
    for (const folder of ['src', 'src2', 'other', 'src/.git'])
      mkdirSync(join(workspace, folder), { recursive: true });
    symlinkSync(join(workspace, 'other'), join(workspace, 'src/link'));
    symlinkSync('/tmp', join(workspace, 'src/out'));
    symlinkSync(join(workspace, 'src'), join(workspace, 'alias'));
    scene.server.script([{ calls: [write('src/a.txt', 'c1'), write('src/deep/b.txt', 'c2')] }, done()]);
    await scene.say('go');
    const asked = await waiting();
    const label = `edits of all files under ${join(workspace, 'src')} that are not protected`;
    await scene.allow(asked, offer(asked, label, 'workspace'));
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c2')['error'], undefined);
    for (const path of ['src/c.txt', 'src/x/y/z.txt', 'alias/d.txt', 'src/../src/e.txt'])
      assert.equal(await edits(path), 'allow', path);
    for (const path of [
      'src',
      'src2/a.txt',
      'srcx.txt',
      'src\\evil.txt',
      'src/../other/a.txt',
      'src/../../evil.txt',
      'src/link/a.txt',
      'src/out/evil.txt',
      'SRC/a.txt',
      'src/.git/hooks/pre-commit',
      'src/.vscode/tasks.json',
      'src/.VSCode/tasks.json',
      'other/a.txt',
    ])
      assert.equal(await edits(path), 'ask', path);
    assert.equal(await explain('shell', { command: 'touch src/a.txt' }), 'ask');
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'folder', path: join(workspace, 'src/x') },
    });
    assert.deepEqual([await edits('src/x/y.txt'), await edits('src/xy.txt')], ['deny', 'allow']);
  });

  it('A3 A12 no folder is offered for an edit outside of the workspace or of a protected file', async () => {
    scene.server.script([{ calls: [write('/tmp/belay-outside/a.txt', 'c1')] }, done()]);
    await scene.say('go');
    const asked = await waiting();
    assert.deepEqual(
      asked.offers.map(({ match }) => match.kind),
      ['path', 'path'],
    );
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    const { offers } = await scene.host.request('rule/explain', {
      session: scene.session,
      tool: 'write',
      args: { path: '.vscode/settings.json', text: '{}' },
    });
    assert.deepEqual(offers, []);
  });
});
