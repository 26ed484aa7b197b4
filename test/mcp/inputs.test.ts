import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { ServerState } from '../../protocol';
import { SecretStorage } from '../support/browser';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

const TOKEN = 'token-of-the-person-123';

describe('mcp: values that a configuration asks a person for', () => {
  let standIn: StandIn;
  let storage: SecretStorage;
  const inputs = [
    { type: 'promptString', id: 'token', description: 'Token of the service', password: true },
    { type: 'pickString', id: 'region', options: ['eu', { label: 'America', value: 'us' }], default: 'eu' },
  ];
  const env = { GIVEN: '${input:token}', REGION: '${input:region}', PLACE: 'a${pathSeparator}b' };
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      storage = new SecretStorage();
      return { mcp: { servers: { fake: standIn.config('', env) }, inputs }, limits: { serverBackoffMs: 1 } };
    },
    host: { serve: (method, params) => storage.serve(method, params) },
  });
  afterEach(() => standIn.stop());

  const server = async (name = 'fake') => {
    const found = (await scene.host.request('server/list', {})).items.find((one) => one.name === name);
    assert.ok(found, name);
    return found;
  };
  const started = async (state: ServerState, name = 'fake') => {
    const { id } = await server(name);
    const mark = scene.host.mark;
    await scene.host.request('server/start', { server: id });
    await scene.host.next('server_changed', mark, ({ data }) => data.server === id && data.state === state);
    return server(name);
  };
  const give = async (values: Readonly<Record<string, string>>, name = 'fake') => {
    for (const { id, secret } of (await server(name)).inputs ?? [])
      if (values[id] !== undefined) storage.kept.set(secret, values[id]);
  };
  const variable = async (name: string, call: string) => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const mark = scene.host.mark;
    const args = { name };
    scene.server.script([{ calls: [{ tool: 'fake__environment', args, id: call }] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    return toldOf(scene.server, call)['text'];
  };

  it('M2 R11 a server without them does not start, and says what is missing', async () => {
    const now = await started('needs_input');
    assert.match(now.error ?? '', /Token of the service, region/);
    assert.deepEqual(
      now.inputs?.map(({ id, password, missing, options }) => ({
        id,
        password,
        missing,
        options: options.length,
      })),
      [
        { id: 'token', password: true, missing: true, options: 0 },
        { id: 'region', password: false, missing: true, options: 2 },
      ],
    );
    assert.deepEqual(standIn.pids, []);
  });

  it('M2 X8 with them it starts; a password is handed to it, and shown nowhere', async () => {
    await give({ token: TOKEN, region: 'us' });
    const now = await started('ready');
    assert.ok(now.inputs?.every(({ missing }) => !missing));
    assert.equal(await variable('REGION', 'c1'), 'us');
    assert.equal(await variable('PLACE', 'c2'), `a${sep}b`);
    assert.equal(await variable('GIVEN', 'c3'), '[REDACTED]', 'it was given, and is not shown');
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    const store = readdirSync(scene.host.storeDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    for (const place of [...store, JSON.stringify(scene.host.events), ...scene.host.logs])
      assert.ok(!place.includes(TOKEN), place.slice(0, 200));
  });

  it('M2 only what is missing is told as missing', async () => {
    await give({ region: 'eu' });
    const now = await started('needs_input');
    assert.deepEqual(
      now.inputs?.filter(({ missing }) => missing).map(({ id }) => id),
      ['token'],
    );
    await give({ token: TOKEN });
    assert.equal((await started('ready')).error, undefined);
  });

  it('A12 the values of a file of the workspace are its own, and one that is not described is refused', async () => {
    mkdirSync(join(scene.host.workspace, '.vscode'), { recursive: true });
    const servers = {
      theirs: standIn.config('', { GIVEN: '${input:token}' }),
      stray: standIn.config('', { GIVEN: '${input:unknown}' }),
    };
    writeFileSync(
      join(scene.host.workspace, '.vscode', 'mcp.json'),
      JSON.stringify({ servers, inputs: inputs.slice(0, 1) }),
    );
    await give({ token: TOKEN, region: 'eu' });
    const { id, consent } = await server('theirs');
    await scene.host.request('server/consent', { server: id, hash: consent?.hash ?? '', allow: true });
    assert.match((await server('stray')).error ?? '', /\$\{input:unknown\}, which no entry/);
    const now = await started('needs_input', 'theirs');
    assert.notEqual(now.inputs?.[0]?.secret, (await server()).inputs?.[0]?.secret);
    assert.deepEqual(standIn.pids, []);
  });
});
