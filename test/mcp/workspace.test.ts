import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigs } from '../../host/adapters/mcp/config';
import type { ServerState } from '../../protocol';
import { isAlive, StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: servers of the workspace', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config() } }, limits: { serverBackoffMs: 1 } };
    },
  });
  afterEach(() => standIn.stop());
  const full = () => scene.host.request('session/update', { session: scene.session, mode: 'full' });
  const server = async (name: string) => {
    const { items } = await scene.host.request('server/list', {});
    const found = items.find((one) => one.name === name);
    assert.ok(found, `no server ${name}`);
    return found;
  };
  const reaches = (state: ServerState, after = 0) =>
    scene.host.next('server_changed', after, (event) => event.data.state === state);
  const write = (servers: object, comment = '') => {
    mkdirSync(join(scene.host.workspace, '.vscode'), { recursive: true });
    writeFileSync(
      join(scene.host.workspace, '.vscode', 'mcp.json'),
      `${comment}\n${JSON.stringify({ servers }, null, 2).replace(/\n}$/, ',\n}')}`,
    );
  };
  const ours = (env: Record<string, string> = {}) => ({
    ...standIn.config('', env),
    cwd: '${workspaceFolder}',
  });

  it('A12 M2 starts only after consent to exactly its configuration, which is remembered', async () => {
    write({ theirs: ours() }, '// servers of this project');
    await full();
    const asked = await server('theirs');
    assert.equal(asked.state, 'needs_consent');
    assert.equal(asked.file, join(scene.host.workspace, '.vscode', 'mcp.json'));
    assert.match(asked.consent?.text ?? '', /mcpServer\.mjs[\s\S]*MCP_LOG=/);
    scene.server.script([done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.ok(
      !existsSync(standIn.log) || standIn.pids.length === 1,
      'only the one of the settings has started',
    );
    const { server: allowed } = await scene.host.request('server/consent', {
      server: asked.id,
      hash: asked.consent?.hash ?? '',
      allow: true,
      by: 'test',
    });
    assert.equal(allowed.state, 'idle');
    await scene.restart();
    assert.equal((await server('theirs')).state, 'idle', 'the consent outlives the host');
    scene.server.script([{ calls: [{ tool: 'theirs__echo', args: { text: 'x' }, id: 'c1' }] }, done()]);
    const mark = scene.host.mark;
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    assert.deepEqual(toldOf(scene.server, 'c1'), { text: 'x' });
  });

  it('A12 an edit of what a server is started from asks in every mode', async () => {
    mkdirSync(join(scene.host.workspace, 'tools'));
    write({ theirs: { command: 'node', args: ['--require=./tools/first.js', 'tools/server.js'], cwd: '.' } });
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    for (const path of ['tools/server.js', 'tools/../tools/First.js']) {
      scene.server.script([{ calls: [{ tool: 'write', args: { path, text: 'x' }, id: path }] }, done()]);
      const mark = scene.host.mark;
      await scene.say('go');
      const { data } = await scene.host.next('approval_requested', mark);
      await scene.host.request('approval/answer', {
        approval: data.id,
        request: data.request,
        decision: 'deny',
        by: 'test',
      });
      await scene.host.next('turn_ended', mark);
    }
    scene.server.script([
      { calls: [{ tool: 'write', args: { path: 'tools/other.js', text: 'x' }, id: 'c1' }] },
      done(),
    ]);
    const mark = scene.host.mark;
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    assert.ok(existsSync(join(scene.host.workspace, 'tools', 'other.js')));
  });

  it('A12 a consent covers what a person is asked for: a changed input asks again', () => {
    const hash = (input: object, rest: object = {}) => {
      const text = JSON.stringify({
        servers: { one: { command: 'x', args: ['${input:key}'] }, two: { command: 'y' } },
        inputs: [{ id: 'key', type: 'promptString', ...input }, rest],
      });
      const [one, two] = readConfigs({}, [{ folder: '/w', text }]).servers;
      return [one?.hash, two?.hash];
    };
    const [one, two] = hash({ password: true });
    assert.notEqual(hash({ password: false })[0], one);
    assert.notEqual(hash({ password: true, default: 'theirs' })[0], one);
    assert.deepEqual(hash({ password: true }, { id: 'other', type: 'promptString' }), [one, two]);
    assert.equal(hash({ password: false })[1], two);
  });

  it('A12 who is asked sees as whom a server would be signed in to, and with what', async () => {
    const oauth = { clientId: 'ours', clientSecret: '${env:HOME}' };
    write({ far: { type: 'http', url: 'http://127.0.0.1:1/mcp', oauth } });
    const { consent } = await server('far');
    assert.match(consent?.text ?? '', /oauth\.clientId: ours\noauth\.clientSecret: \$\{env:HOME\}/);
  });

  it('A12 no part of a configuration can hide another one from the person who is asked', async () => {
    const args = ['--flag', 'two words', 'a"b\\c', 'new\nline', 'x\u202etxt.exe', 'p'.repeat(1000), ''];
    const padding = Array.from({ length: 40 }, () => ' ');
    write({
      ['evil\n\u200bname']: { command: 'rm', args: [...args, ...padding], env: { 'A\n': 'b\n\nc' } },
    });
    const { items } = await scene.host.request('server/list', {});
    const found = items.find((one) => one.source === 'workspace');
    assert.equal(found?.name, 'evil\\u{a}\\u{200b}name');
    const lines = (found.consent?.text ?? '').split('\n');
    const shown = ['--flag', '"two words"', '"a\\"b\\\\c"', '"new\\u{a}line"', '"x\\u{202e}txt.exe"'];
    const long = `"${'p'.repeat(200)}[800 more characters: see the file]"`;
    const rest = [long, '""', ...Array.from({ length: 8 }, () => '" "'), '[32 more arguments: see the file]'];
    assert.deepEqual(lines.slice(0, 2), [['rm', ...shown, ...rest].join(' '), '"A\\u{a}"="b\\u{a}\\u{a}c"']);
    assert.equal(lines.length, 3);
    assert.match(lines[2] ?? '', /^\(.*mcp\.json\)$/);
  });

  it('A12 asks again when the configuration has changed, and refuses a word on an older one', async () => {
    write({ theirs: ours() });
    const first = await server('theirs');
    const consent = (hash: string) => ({ server: first.id, hash, allow: true, by: 'test' }) as const;
    await scene.host.request('server/consent', consent(first.consent?.hash ?? ''));
    write({ theirs: ours({ SNEAKY: 'yes' }) });
    const second = await server('theirs');
    assert.equal(second.state, 'needs_consent');
    assert.match(second.consent?.text ?? '', /SNEAKY=yes/);
    const refused = await scene.host.refused('server/consent', consent(first.consent?.hash ?? ''));
    assert.equal(refused.code, 'server_changed');
    const blocked = await scene.host.refused('server/start', { server: second.id });
    assert.equal(blocked.code, 'server_changed');
  });

  it('A12 a server that runs is ended when the file changes under it', async () => {
    write({ theirs: ours() });
    await full();
    const asked = await server('theirs');
    await scene.host.request('server/consent', {
      server: asked.id,
      hash: asked.consent?.hash ?? '',
      allow: true,
    });
    const mark = scene.host.mark;
    await scene.host.request('server/start', { server: asked.id });
    await reaches('ready', mark);
    const pid = (await server('theirs')).pid ?? 0;
    write({ theirs: ours({ OTHER: '1' }) });
    await scene.host.request('server/list', {});
    await reaches('needs_consent', mark);
    assert.ok(!isAlive(pid));
  });

  it('M2 a name that is taken gets a number; the file’s faults are told and harm no other server', async () => {
    write({ fake: ours(), 'we.ird name__x': ours() });
    const { items } = await scene.host.request('server/list', {});
    assert.deepEqual(
      items.map((one) => one.id.replace(/-[0-9a-f]{6}$/, '-MARK')),
      ['fake', 'fake-2', 'we_ird_name_x-MARK'],
    );
    writeFileSync(join(scene.host.workspace, '.vscode', 'mcp.json'), '{ this is no JSON');
    const [fake, file] = (await scene.host.request('server/list', {})).items;
    assert.equal(fake?.id, 'fake');
    assert.deepEqual(
      [file?.name, file?.state, file?.error],
      ['.vscode/mcp.json', 'failed', 'It must be JSON with an object "servers".'],
    );
    write({ other: ours() });
    assert.deepEqual(
      (await scene.host.request('server/list', {})).items.map((one) => one.id),
      ['fake', 'other'],
    );
  });
});
