import assert from 'node:assert/strict';
import { extraSecrets, extraVariables } from '../../host/adapters/models/extras';
import { parseSettings } from '../../host/compose/settings';
import { createModels, type Models, type ModelsNeed } from '../../host/adapters/models/models';
import type { Provider } from '../../protocol';
import { directWeb } from '../support/directWeb';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { callOf, failing, handClock, run, user } from './bench';

const hello = { ...callOf({ model: 'p/m1' }), items: [user('hi')] };

describe('models: what settings add to requests', () => {
  let server: ModelServer;
  beforeEach(async () => (server = await startModelServer()));
  afterEach(() => server.stop());

  const models = (provider: Partial<Provider>, more: Partial<ModelsNeed> = {}): Models =>
    createModels({
      settings: () => ({ providers: { p: { kind: 'openai-compatible', baseUrl: server.url, ...provider } } }),
      secret: () => Promise.resolve('stored-key'),
      env: { GATEWAY_TEAM: ' team-7 ' },
      editor: { offered: () => [], request: () => Promise.reject(new Error('no editor')) },
      clock: handClock(),
      stallMs: () => 1000,
      web: directWeb(),
      log: () => undefined,
      secrets: () => ({ names: [], values: [] }),
      ...more,
    });

  for (const kind of ['anthropic', 'openai', 'openai-compatible'] as const)
    it(`M1 headers and query go with each request of ${kind}, and the key where they say alone`, async () => {
      server.script([{ text: 'ok' }]);
      const own = models({
        kind,
        headers: { 'api-key': '${key}', 'x-team': 'of ${env:GATEWAY_TEAM}' },
        query: { 'api-version': '2026-10-01' },
      });
      await run(own, hello);
      const { headers, path } = server.requests[0] ?? {};
      assert.deepEqual(
        [headers?.['api-key'], headers?.['x-team'], headers?.authorization, headers?.['x-api-key']],
        ['stored-key', 'of team-7', undefined, undefined],
      );
      assert.match(path ?? '', /\?api-version=2026-10-01$/);
    });

  it('M1 the list of models is asked with them as well', async () => {
    server.lists(() => ({ body: { data: [{ id: 'listed' }] } }));
    const own = models({ headers: { 'api-key': '${key}' }, query: { 'api-version': 'v1' } });
    await own.list((effect) => effect());
    assert.equal(server.looks[0]?.headers['api-key'], 'stored-key');
    assert.equal(server.looks[0].headers.authorization, undefined);
    assert.match(server.looks[0].path, /\?api-version=v1$/);
  });

  it('M1 without a place for it the key stays where its kind has it', async () => {
    server.script([{ text: 'ok' }]);
    await run(models({ headers: { 'x-title': 'Belay' } }), hello);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer stored-key');
    assert.equal(server.requests[0].headers['x-title'], 'Belay');
  });

  it('R11 a variable that is not set, or holds several lines, is named, and nothing is sent', async () => {
    const headers = { 'x-team': '${env:NOT_SET}' };
    const missing = await failing(run(models({ headers }), hello));
    assert.equal(missing.code, 'model_key_missing');
    assert.match(missing.message, /needs the environment variable NOT_SET/);
    const lines = await failing(run(models({ headers }, { env: { NOT_SET: 'a\nb' } }), hello));
    assert.match(lines.message, /What "x-team" of "p" would send is no text of one line/);
    assert.equal(server.requests.length, 0);
  });

  it('X8 variables of telling names, or sent under such, are secrets, and so are values written out under them', () => {
    const provider: Provider = {
      kind: 'openai',
      headers: { authorization: 'Bearer written-out', 'x-title': 'Belay', 'x-key': '${env:A}' },
      query: { token: '${env:B}', sig: 'signed-by-me', v: '2026-10-01' },
    };
    assert.deepEqual(extraVariables(provider), ['A', 'B']);
    const open: Provider = {
      kind: 'openai',
      headers: {
        'x-user': '${env:USER} of ${env:TEAM}',
        cookie: 'me=${env:HOME}',
        'x-team': '${env:TEAM_TOKEN}',
      },
    };
    assert.deepEqual(extraVariables(open), ['TEAM_TOKEN']);
    assert.deepEqual(extraSecrets(provider), [
      'Bearer written-out',
      'written-out',
      'signed-by-me',
      'signed-by-me',
    ]);
  });

  it('X8 no failure shows them, wherever it is cut, and none asks for a key where they say who asks', async () => {
    const provider = {
      headers: { 'x-auth': 'Bearer written-out-1' },
      query: { sig: 'signed/by=me', 'api-version': '2026-10-01' },
    };
    const secrets = () => ({ names: [], values: extraSecrets({ kind: 'openai-compatible', ...provider }) });
    const own = models(provider, { secrets, secret: () => Promise.resolve(undefined) });
    for (const before of ['', 'x'.repeat(390)]) {
      const message = `${before} no written-out-1, no signed/by=me, no signed%2Fby%3Dme in 2026-10-01`;
      server.script([{ status: 401, body: { error: { message } } }]);
      const failure = await failing(run(own, hello));
      assert.equal(failure.code, 'model_rejected');
      assert.match(
        failure.message,
        /"p" does not accept what its headers or query say of who asks\. Correct/,
      );
      assert.doesNotMatch(failure.message, /writt|signed/);
      assert.match(failure.message, before === '' ? /no \[REDACTED\], .* in 2026-10-01/ : /no \[REDAC…/);
    }
    const at = { ...provider, baseUrl: `${server.url}/written-out-1` };
    const lists = models(at, { secrets, secret: () => Promise.resolve(undefined) });
    for (const [status, told] of [
      [404, /has no list of models at \S+\/\[REDACTED\]/],
      [401, /does not accept what its headers or query say of who asks for its models/],
    ] as const) {
      server.lists(() => ({ status }));
      const [p] = (await lists.list((effect) => effect())).providers;
      assert.match(p?.note ?? '', told);
      assert.doesNotMatch(p?.note ?? '', /written-out/);
    }
  });

  it('R11 what cannot be a header or a value is named without its value, and the provider left out', () => {
    const of = (rest: object) => parseSettings({ models: { providers: { p: { kind: 'openai', ...rest } } } });
    for (const name of ['Host', 'content-length', 'proxy-authorization', 'two words', ''])
      assert.match(
        of({ headers: { [name]: 'x' } }).warnings[0] ?? '',
        /has a name that cannot be used\. The name of a header is one word/,
        name,
      );
    for (const value of ['a\nb', 'secret ${secret:x}', '${env:1}', '${key'])
      assert.match(of({ headers: { x: value } }).warnings[0] ?? '', /it must be a text of one line/, value);
    assert.doesNotMatch(of({ headers: { x: 'hidden-1\n' } }).warnings[0] ?? '', /hidden-1/);
    assert.deepEqual(of({ headers: { 'api-key': '${key}' }, query: { v: '$1 ${env:A_1}' } }).warnings, []);
  });
});
