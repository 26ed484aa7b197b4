/** Reads that a rule or a setting keeps back: asked for or denied, and left out of what searches find (A1, R10). */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode, RuleMatch } from '../../protocol';
import { done, scenes, toldOf } from '../support/scene';

const SETTING = { protectedReads: true };

function writeFiles(workspace: string): void {
  for (const folder of ['config', 'keys/deep', '.aws'])
    mkdirSync(join(workspace, folder), { recursive: true });
  for (const file of [
    '.env',
    '.env.local',
    '.env.example',
    'config/server.pem',
    'keys/id_ed25519',
    'keys/id_ed25519.pub',
    'keys/deep/note.txt',
    '.aws/credentials',
    'plain.txt',
  ])
    writeFileSync(join(workspace, file), `needle in ${file}\n`);
  symlinkSync(join(workspace, '.env'), join(workspace, 'harmless.txt'));
  symlinkSync(join(workspace, 'keys'), join(workspace, 'open'));
}

function reading(settings: Record<string, unknown> = {}) {
  const scene = scenes({ settings: { approvals: { holdMs: 0 }, ...settings } });
  beforeEach(() => writeFiles(scene.host.workspace));
  const explain = async (tool: string, args: unknown) =>
    (await scene.host.request('rule/explain', { session: scene.session, tool, args })).decision;
  return {
    scene,
    read: (path: string) => explain('read', { path }),
    explain,
    rule: (effect: 'allow' | 'ask' | 'deny', match: RuleMatch) =>
      scene.host.request('rule/add', { effect, scope: 'workspace', match, by: 'test' }),
    mode: (mode: Mode) => scene.host.request('session/update', { session: scene.session, mode }),
    /** What the model is told of these calls, all free. */
    run: async (...calls: readonly { tool: string; args: object }[]) => {
      const mark = scene.host.mark;
      scene.server.script([{ calls: calls.map((call, at) => ({ ...call, id: `m${mark}c${at}` })) }, done()]);
      await scene.say('look');
      await scene.host.next('turn_ended', mark);
      return calls.map((_, at) => toldOf(scene.server, `m${mark}c${at}`));
    },
  };
}

describe('rules for reads', () => {
  const { scene, read, explain, rule, mode, run } = reading();

  it('A1 deny and ask in every mode what is read, listed, searched and looked for by path, folder and names, links and case included', async () => {
    const { workspace } = scene.host;
    await rule('deny', { kind: 'pattern', pattern: '.env*', access: 'read' });
    await rule('ask', { kind: 'folder', path: join(workspace, 'keys'), access: 'read' });
    await rule('deny', { kind: 'path', path: join(workspace, 'plain.txt'), access: 'read' });
    for (const now of ['ask', 'edits', 'full'] as const) {
      await mode(now);
      for (const path of [
        '.env',
        '.env.local',
        './config/../.env',
        '.ENV',
        'harmless.txt',
        'plain.txt',
        'PLAIN.txt',
      ])
        assert.equal(await read(path), 'deny', `${now} ${path}`);
      for (const path of [
        'keys/id_ed25519',
        'keys/deep/note.txt',
        'open/deep/note.txt',
        'Keys/deep/note.txt',
      ])
        assert.equal(await read(path), 'ask', `${now} ${path}`);
      assert.equal(await explain('list', { path: 'keys' }), 'ask');
      assert.equal(await explain('find', { path: 'open', glob: '*' }), 'ask');
      assert.equal(await explain('search', { path: 'keys/deep', pattern: 'x' }), 'ask');
      assert.equal(await read('config/server.pem'), 'allow');
    }
    await mode('edits');
    assert.equal(
      await explain('write', { path: 'plain.txt', text: 'x' }),
      'allow',
      'a rule for reads is for reads',
    );
  });

  it('R10 searches and lists of names leave out what a rule keeps back, and say how much that is', async () => {
    await rule('deny', { kind: 'pattern', pattern: '.env*', access: 'read' });
    await rule('ask', { kind: 'folder', path: join(scene.host.workspace, 'keys'), access: 'read' });
    const [found, named] = await run(
      { tool: 'search', args: { pattern: 'needle' } },
      { tool: 'find', args: { glob: '*' } },
    );
    assert.deepEqual([found?.['files'], found?.['left_out']], [3, 6]);
    assert.ok(!/env|keys/.test(String(found?.['text'])), String(found?.['text']));
    assert.ok(!/env|keys/.test(String(named?.['text'])), String(named?.['text']));
    assert.ok(Number(named?.['left_out']) >= 6);
  });

  it('A1 R10 what searches and lists of names say of a file that is kept back is the same for every pattern and glob', async () => {
    await rule('deny', { kind: 'pattern', pattern: '.env*', access: 'read' });
    writeFileSync(join(scene.host.workspace, '.gitignore'), '.env\n');
    const same = async (tool: string, ...args: readonly object[]) => {
      const told = await run(...args.map((one) => ({ tool, args: one })));
      for (const one of told) {
        assert.deepEqual(one, told[0]);
        assert.equal(one['left_out'], 2, JSON.stringify(one));
      }
      return told[0];
    };
    const none = await same(
      'search',
      { pattern: 'in \\.env', glob: '.env' },
      { pattern: 'nothing', glob: '.env*' },
    );
    assert.deepEqual([none?.['text'], none?.['files']], ['', 0]);
    await same('find', { glob: '.env' }, { glob: '.env.*' }, { glob: 'nothing' });
    const [all, other] = await run(
      { tool: 'search', args: { pattern: 'needle' } },
      { tool: 'search', args: { pattern: 'needle in [^.]' } },
    );
    assert.deepEqual([all?.['left_out'], other?.['left_out']], [2, 2]);
  });

  it('A1 an edit tells of its file, so it is denied and asked for as a read is, in every mode; a whole new text is not', async () => {
    const edit = (path: string) => explain('edit', { path, old: 'needle', new: 'x' });
    await rule('deny', { kind: 'pattern', pattern: '.env*', access: 'read' });
    await rule('ask', { kind: 'folder', path: join(scene.host.workspace, 'keys'), access: 'read' });
    for (const now of ['ask', 'edits', 'full'] as const) {
      await mode(now);
      for (const path of ['.env', '.ENV', 'harmless.txt']) assert.equal(await edit(path), 'deny', path);
      for (const path of ['keys/id_ed25519', 'open/deep/note.txt'])
        assert.equal(await edit(path), 'ask', path);
      assert.equal(await edit('plain.txt'), now === 'ask' ? 'ask' : 'allow');
      assert.equal(await explain('write', { path: 'keys/new', text: '' }), now === 'ask' ? 'ask' : 'allow');
    }
    await rule('allow', { kind: 'folder', path: scene.host.workspace });
    await mode('edits');
    assert.deepEqual([await edit('.env'), await edit('keys/id_ed25519')], ['deny', 'ask']);
  });

  it('A1 an edit that is allowed says nothing of what was in a file whose reading asks, found or not', async () => {
    const { workspace } = scene.host;
    await mode('edits');
    await rule('ask', { kind: 'folder', path: join(workspace, 'keys'), access: 'read' });
    const edit = async (args: object): Promise<Record<string, unknown>> => {
      const mark = scene.host.mark;
      scene.server.script([
        { calls: [{ tool: 'edit', args: { path: 'keys/deep/note.txt', ...args }, id: `m${mark}` }] },
        done(),
      ]);
      await scene.say('edit');
      await scene.allow((await scene.host.next('approval_requested', mark)).data);
      await scene.host.next('turn_ended', mark);
      return toldOf(scene.server, `m${mark}`);
    };
    const missing = await edit({ old: 'needle in keys/deep/nose.txt', new: 'x' });
    assert.match(String(missing['detail']), /not made in keys\/deep\/note\.txt\. .* why is not told/);
    assert.deepEqual(await edit({ old: 'e', new: 'x' }), missing, 'how often is not told');
    assert.deepEqual(await edit({ old: 'needle', new: 'pin' }), { written: true });
    await mode('full');
    assert.deepEqual(await run({ tool: 'edit', args: { path: 'plain.txt', old: 'needle', new: 'pin' } }), [
      { replaced: 1, line: 1 },
    ]);
  });

  it('A1 a rule for all that is under a folder holds for a look through it; a list names what a search names, and counts the rest', async () => {
    await rule('deny', { kind: 'pattern', pattern: 'keys/**', access: 'read' });
    await rule('ask', { kind: 'pattern', pattern: 'config/**', access: 'read' });
    await rule('deny', { kind: 'pattern', pattern: '.env*', access: 'read' });
    for (const [tool, args] of [
      ['list', {}],
      ['find', { glob: '*' }],
      ['search', { pattern: 'x' }],
    ] as const) {
      assert.equal(await explain(tool, { ...args, path: 'keys' }), 'deny', tool);
      assert.equal(await explain(tool, { ...args, path: 'open' }), 'deny', tool);
      assert.equal(await explain(tool, { ...args, path: 'config' }), 'ask', tool);
      assert.equal(await explain(tool, args), 'allow', tool);
    }
    const [listed] = await run({ tool: 'list', args: {} });
    assert.deepEqual(
      [listed?.['entries'], listed?.['left_out']],
      [['.aws/', 'config/', 'harmless.txt@', 'keys/', 'open@', 'plain.txt'], 3],
    );
    const mark = scene.host.mark;
    scene.server.script([{ calls: [{ tool: 'list', args: { path: 'config' }, id: 'c9' }] }, done()]);
    await scene.say('list it');
    await scene.allow((await scene.host.next('approval_requested', mark)).data);
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(toldOf(scene.server, 'c9'), { entries: ['server.pem'] }, 'what was asked for is named');
  });

  it('A1 what a person allows to be searched is shown, but for what is denied in it', async () => {
    const { workspace } = scene.host;
    await rule('ask', { kind: 'folder', path: join(workspace, 'keys'), access: 'read' });
    await rule('deny', { kind: 'pattern', pattern: 'deep', access: 'read' });
    scene.server.script([
      { calls: [{ tool: 'search', args: { pattern: 'needle', path: 'keys' }, id: 'c1' }] },
      done(),
    ]);
    await scene.say('look');
    await scene.allow(await scene.asked());
    await scene.host.next('turn_ended');
    const told = toldOf(scene.server, 'c1');
    assert.deepEqual([told['files'], told['left_out']], [2, 1]);
  });

  it('R11 a pattern that could mean a place, and an allow for more than a file, are refused with words', async () => {
    const refuse = async (effect: 'allow' | 'deny', match: RuleMatch) =>
      (await scene.host.refused('rule/add', { effect, scope: 'workspace', match })).message;
    for (const pattern of ['/etc/passwd', '../x', 'a/../b', '~/x', '*', '**', 'a//b'])
      assert.match(
        await refuse('deny', { kind: 'pattern', pattern, access: 'read' }),
        /^A pattern is a name/,
        pattern,
      );
    for (const match of [
      { kind: 'pattern', pattern: '.env' },
      { kind: 'pattern', pattern: '.env', access: 'read' },
      { kind: 'folder', path: scene.host.workspace, access: 'read' },
    ] as const)
      assert.match(await refuse('allow', match), /one by one/);
  });

  it('A1 without a rule or the setting every read in the workspace is free; the setting counts from when it is set', async () => {
    const secrets = ['.env', 'config/server.pem', '.aws/credentials'];
    for (const path of secrets) assert.equal(await read(path), 'allow', path);
    await scene.host.request('settings/update', { settings: { ...scene.settings, protectedReads: true } });
    for (const path of secrets) assert.equal(await read(path), 'ask', path);
  });
});

describe('a workspace in a folder whose name is that of secrets', () => {
  const { scene, read, explain, mode, run, rule } = reading(SETTING);

  it('A1 is read as any other, through a link as well; what is in it goes by its own names', async () => {
    const { workspace } = scene.host;
    const inner = join(workspace, 'credentials/app');
    mkdirSync(inner, { recursive: true });
    writeFiles(inner);
    symlinkSync(inner, join(workspace, 'linked'));
    await scene.host.request('settings/update', {
      folders: [{ path: join(workspace, 'linked'), name: 'app' }],
    });
    const { session } = await scene.host.request('session/create', {
      folder: join(workspace, 'linked'),
      agent: { kind: 'model', model: 'local/m1' },
    });
    scene.session = session.id;
    await mode('edits');
    await rule('deny', { kind: 'pattern', pattern: 'credentials/app', access: 'read' });
    assert.deepEqual([await read('plain.txt'), await read('.env')], ['allow', 'ask']);
    assert.equal(await explain('edit', { path: 'plain.txt', old: 'needle', new: 'x' }), 'allow');
    const [found] = await run({ tool: 'search', args: { pattern: 'needle' } });
    assert.deepEqual([found?.['files'], found?.['left_out']], [4, 5]);
  });
});

describe('the setting belay.protectedReads', () => {
  const { scene, read, explain, mode, run, rule } = reading(SETTING);

  it('A1 asks for what commonly holds secrets in the modes ask and edits, by whatever link, and for nothing else', async () => {
    for (const now of ['ask', 'edits'] as const) {
      await mode(now);
      for (const path of [
        '.env',
        '.env.local',
        '.ENV',
        'harmless.txt',
        'config/server.pem',
        'open/id_ed25519',
        '.aws/credentials',
      ])
        assert.equal(await read(path), 'ask', path);
      for (const path of ['.env.example', 'keys/id_ed25519.pub', 'keys/deep/note.txt', 'plain.txt'])
        assert.equal(await read(path), 'allow', path);
    }
    await mode('full');
    assert.equal(await read('.env'), 'allow', 'in the mode full only rules speak');
  });

  it('A1 A3 an edit of what commonly holds secrets asks; a rule for this very file covers it, one for its folder does not', async () => {
    const edit = (path: string) => explain('edit', { path, old: 'needle', new: 'x' });
    await mode('edits');
    assert.deepEqual(
      [await edit('.env'), await edit('harmless.txt'), await edit('plain.txt')],
      ['ask', 'ask', 'allow'],
    );
    await mode('full');
    assert.equal(await edit('.env'), 'allow');
    await mode('ask');
    const { workspace } = scene.host;
    await rule('allow', { kind: 'folder', path: workspace });
    assert.deepEqual([await edit('.env'), await edit('plain.txt')], ['ask', 'allow']);
    const { offers } = await scene.host.request('rule/explain', {
      session: scene.session,
      tool: 'edit',
      args: { path: '.env', old: 'needle', new: 'x' },
    });
    assert.deepEqual(offers, [`edits of ${join(workspace, '.env')}`, `edits of ${join(workspace, '.env')}`]);
    await rule('allow', { kind: 'path', path: join(workspace, '.env') });
    assert.equal(await edit('.env'), 'allow');
  });

  it('A3 R10 one that is allowed for the session is read, and shown by searches, which leave the others out', async () => {
    const [before] = await run({ tool: 'search', args: { pattern: 'needle' } });
    assert.deepEqual([before?.['files'], before?.['left_out']], [4, 5]);
    const mark = scene.host.mark;
    scene.server.script([{ calls: [{ tool: 'read', args: { path: '.env' }, id: 'c1' }] }, done()]);
    await scene.say('read it');
    const asked = await scene.host.next('approval_requested', mark);
    assert.match(asked.data.why, /commonly hold secrets/);
    assert.equal(asked.data.offers[0]?.label, `reads of ${join(scene.host.workspace, '.env')}`);
    await scene.allow(asked.data, { scope: 'session' });
    await scene.host.next('turn_ended', mark);
    assert.match(JSON.stringify(toldOf(scene.server, 'c1')), /needle in \.env/);
    const later = scene.host.mark;
    scene.server.script([
      { calls: [{ tool: 'search', args: { pattern: 'needle', path: '.aws' }, id: 'c2' }] },
      done(),
    ]);
    await scene.say('search it');
    await scene.allow((await scene.host.next('approval_requested', later)).data);
    await scene.host.next('turn_ended', later);
    const shown = toldOf(scene.server, 'c2');
    assert.deepEqual([shown['files'], shown['left_out']], [1, undefined], 'what was asked for is shown');
    const [after] = await run({ tool: 'search', args: { pattern: 'needle' } });
    assert.deepEqual([after?.['files'], after?.['left_out']], [5, 4]);
    await rule('deny', { kind: 'pattern', pattern: '.env', access: 'read' });
    assert.equal(await read('.env'), 'deny');
  });
});
