import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerId, ServerState } from '../../protocol';
import { browse, REDIRECT, SecretStorage } from '../support/browser';
import type { Refused } from '../support/hostClient';
import { OAuthServer } from '../support/oauthServer';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: a server that wants a sign-in', () => {
  let guarded: OAuthServer;
  let storage: SecretStorage;
  let limits: object = {};
  beforeEach(async () => {
    guarded = await OAuthServer.start();
    storage = new SecretStorage();
  });
  afterEach(() => guarded.stop());
  const scene = scenes({
    lazily: () => ({
      mcp: { servers: { guarded: guarded.config() } },
      limits: { serverBackoffMs: 1, ...limits },
    }),
    host: { serve: (method, params) => storage.serve(method, params) },
  });

  const id = 'guarded' as ServerId;
  const server = async () => {
    const [found] = (await scene.host.request('server/list', {})).items;
    assert.ok(found);
    return found;
  };
  const reaches = (state: ServerState, after = 0) =>
    scene.host.next('server_changed', after, (event) => event.data.state === state);
  /** Starts it, which makes it want a sign-in. */
  const wanted = async () => {
    const mark = scene.host.mark;
    await scene.host.request('server/start', { server: id });
    await reaches('needs_sign_in', mark);
  };
  const begin = () => scene.host.request('server/signIn', { server: id, redirectUri: REDIRECT, by: 'test' });
  const signedIn = async () => {
    await wanted();
    const { url } = await begin();
    const led = await browse(url);
    const mark = scene.host.mark;
    await scene.host.request('server/signInAnswer', led);
    await reaches('ready', mark);
  };
  const told = async (call: string) => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const mark = scene.host.mark;
    scene.server.script([{ calls: [{ tool: 'guarded__echo', args: { text: 'in' }, id: call }] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    return toldOf(scene.server, call);
  };

  it('M2 says so, and asks no authorization server for anything before a person does', async () => {
    await wanted();
    const now = await server();
    assert.equal(now.account, 'needed');
    assert.match(now.error ?? '', /wants you to sign in/);
    assert.deepEqual(guarded.seen, ['POST /mcp initialize']);
  });

  it('M2 is signed in to by a person’s click, and its tools are called with the token', async () => {
    await signedIn();
    const now = await server();
    assert.equal(now.account, 'signed_in');
    assert.equal(now.error, undefined);
    assert.deepEqual(
      now.tools.map(({ title }) => title),
      ['echo'],
    );
    assert.deepEqual(await told('c1'), { text: 'in' });
    assert.equal(guarded.count('POST /token authorization_code'), 1);
  });

  it('M2 R6 stays signed in over a restart of the host, and over a crash', async () => {
    await signedIn();
    await scene.restart();
    assert.deepEqual(await told('c1'), { text: 'in' });
    await scene.crash();
    assert.deepEqual(await told('c2'), { text: 'in' });
    assert.equal(guarded.count('GET /authorize'), 1);
  });

  it('M2 renews a token that was refused, in the middle of a call, without a word to the person', async () => {
    await signedIn();
    guarded.revoke();
    assert.deepEqual(await told('c1'), { text: 'in' });
    assert.equal(guarded.count('POST /token refresh_token'), 1);
    assert.equal((await server()).state, 'ready');
  });

  it('M2 renews a token that has lapsed before it is sent', async () => {
    guarded.lifetime = 1;
    await signedIn();
    guarded.lifetime = 3600;
    const before = guarded.seen.length;
    assert.deepEqual(await told('c1'), { text: 'in' });
    const after = guarded.seen.slice(before);
    assert.ok(after.indexOf('POST /token refresh_token') < after.indexOf('POST /mcp tools/call'));
    assert.equal(after.filter((one) => one === 'POST /mcp tools/call').length, 1, 'none was sent in vain');
  });

  it('M2 R11 wants a sign-in again once the person has revoked it, and the call says so', async () => {
    await signedIn();
    guarded.revoke(true);
    const result = await told('c1');
    assert.equal(result['error'], 'server_unavailable');
    assert.match(String(result['detail']), /sign in again/);
    await reaches('needs_sign_in');
    assert.equal((await server()).account, 'needed');
    const { url } = await begin();
    const mark = scene.host.mark;
    await scene.host.request('server/signInAnswer', await browse(url));
    await reaches('ready', mark);
    assert.deepEqual(await told('c2'), { text: 'in' });
  });

  it('M2 asks for more rights when a call needs them', async () => {
    await signedIn();
    guarded.scope = 'write';
    const result = await told('c1');
    assert.match(String(result['detail']), /more rights/);
    const { url } = await begin();
    assert.equal(new URL(url).searchParams.get('scope'), 'write');
    const mark = scene.host.mark;
    await scene.host.request('server/signInAnswer', await browse(url));
    await reaches('ready', mark);
    assert.deepEqual(await told('c2'), { text: 'in' });
  });

  it('X8 R6 its tokens are in the secret storage alone: not in the store, the events, the logs or the server’s log', async () => {
    await signedIn();
    await told('c1');
    guarded.revoke();
    await told('c2');
    const { text } = await scene.host.request('server/log', { server: id });
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    const store = readdirSync(scene.host.storeDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const everything = [...store, JSON.stringify(scene.host.events), ...scene.host.logs, text];
    assert.ok(guarded.secrets.length >= 5);
    for (const secret of guarded.secrets)
      for (const place of everything) assert.ok(!place.includes(secret), place.slice(0, 200));
    const [kept] = [...storage.kept.values()];
    assert.ok(guarded.secrets.some((secret) => kept?.includes(secret) === true));
  });

  it('M2 is signed out of: nothing is kept, and the next need wants a sign-in', async () => {
    await signedIn();
    const mark = scene.host.mark;
    await scene.host.request('server/signOut', { server: id });
    await reaches('idle', mark);
    assert.deepEqual([...storage.kept.keys()], []);
    await wanted();
  });

  it('R9 A12 signed out of while a renewal is on its way, what comes late is dropped, now and after a restart', async () => {
    await signedIn();
    guarded.revoke();
    const held = guarded.hold('POST /token refresh_token');
    const call = told('c1');
    await held.reached;
    await scene.host.request('server/signOut', { server: id });
    held.open();
    assert.equal((await call)['error'], 'server_unavailable');
    assert.notEqual((await server()).account, 'signed_in');
    assert.deepEqual([...storage.kept.keys()], []);
    await scene.restart();
    assert.equal((await told('c2'))['error'], 'server_unavailable');
  });

  it('A12 a token is for its address: another server gets none', async () => {
    const other = await OAuthServer.start();
    try {
      await signedIn();
      const servers = { guarded: other.config() };
      await scene.host.request('settings/update', { settings: { ...scene.settings, mcp: { servers } } });
      await wanted();
      assert.equal((await server()).target, other.url);
    } finally {
      await other.stop();
    }
  });

  describe('what comes to nothing', () => {
    const refusal = (answer: object): Promise<Refused> =>
      scene.host.refused('server/signInAnswer', answer as { state: string });

    it('R11 the person says no in the browser: sign_in_refused, and it is wanted still', async () => {
      await wanted();
      const { url } = await begin();
      const state = new URL(url).searchParams.get('state') ?? '';
      const refused = await refusal({ state, error: 'access_denied', errorDescription: 'not now' });
      assert.equal(refused.code, 'sign_in_refused');
      assert.match(refused.message, /not now/);
      assert.equal((await server()).account, 'needed');
      assert.equal(guarded.count('POST /token authorization_code'), 0);
    });

    it('R9 A12 an answer with a state of nobody’s is refused, and the sign-in goes on waiting', async () => {
      await wanted();
      const { url } = await begin();
      const led = await browse(url);
      assert.equal((await refusal({ ...led, state: 'forged' })).code, 'sign_in_unknown');
      assert.equal(guarded.count('POST /token authorization_code'), 0);
      assert.equal((await server()).account, 'under_way');
      const mark = scene.host.mark;
      await scene.host.request('server/signInAnswer', led);
      await reaches('ready', mark);
    });

    it('R9 an answer that comes twice is exchanged once', async () => {
      await wanted();
      const { url } = await begin();
      const led = await browse(url);
      await scene.host.request('server/signInAnswer', led);
      assert.equal((await refusal(led)).code, 'sign_in_unknown');
      assert.equal(guarded.count('POST /token authorization_code'), 1);
    });

    it('R9 a cancelled sign-in is told as cancelled when its answer comes all the same', async () => {
      await wanted();
      const { url } = await begin();
      const led = await browse(url);
      const { server: now } = await scene.host.request('server/signInCancel', { server: id });
      assert.equal(now.account, 'needed');
      assert.equal((await refusal(led)).code, 'sign_in_cancelled');
    });

    it('M3 R9 a server that the person stops meanwhile is not started by its answer', async () => {
      await wanted();
      const led = await browse((await begin()).url);
      await scene.host.request('server/stop', { server: id });
      assert.equal((await refusal(led)).code, 'sign_in_cancelled');
      assert.equal((await server()).state, 'stopped');
    });

    it('A12 another configuration ends the sign-in', async () => {
      await wanted();
      const led = await browse((await begin()).url);
      const servers = { guarded: guarded.config({ headers: { 'x-other': 'yes' } }) };
      await scene.host.request('settings/update', { settings: { ...scene.settings, mcp: { servers } } });
      assert.equal((await refusal(led)).code, 'sign_in_cancelled');
    });

    it('A11 trust that is lost ends the sign-in', async () => {
      await wanted();
      const led = await browse((await begin()).url);
      await scene.host.request('settings/update', { trusted: false });
      assert.equal((await refusal(led)).code, 'sign_in_cancelled');
      assert.equal(guarded.count('POST /token authorization_code'), 0);
      const refused = await scene.host.refused('server/signIn', { server: id, redirectUri: REDIRECT });
      assert.equal(refused.code, 'untrusted_workspace');
    });

    it('R9 a new sign-in takes the place of the one under way', async () => {
      await wanted();
      const first = await browse((await begin()).url);
      const second = await browse((await begin()).url);
      assert.equal((await refusal(first)).code, 'sign_in_unknown');
      const mark = scene.host.mark;
      await scene.host.request('server/signInAnswer', second);
      await reaches('ready', mark);
    });

    it('A12 an answer that names another authorization server is refused', async () => {
      await wanted();
      const { url } = await begin();
      const refused = await refusal({ ...(await browse(url)), issuer: 'https://elsewhere.example' });
      assert.equal(refused.code, 'sign_in_failed');
      assert.equal(guarded.count('POST /token authorization_code'), 0);
    });

    it('R11 an authorization server that fails is told, and the next click begins anew', async () => {
      await wanted();
      guarded.broken = true;
      const refused = await scene.host.refused('server/signIn', { server: id, redirectUri: REDIRECT });
      assert.equal(refused.code, 'sign_in_failed');
      assert.equal((await server()).account, 'needed');
      guarded.broken = false;
      const mark = scene.host.mark;
      await scene.host.request('server/signInAnswer', await browse((await begin()).url));
      await reaches('ready', mark);
    });

    it('R6 a restart in the middle leaves no half: it is wanted again, and the old answer is nobody’s', async () => {
      await wanted();
      const led = await browse((await begin()).url);
      await scene.restart();
      assert.equal((await server()).account, undefined);
      assert.equal((await refusal(led)).code, 'sign_in_unknown');
      await wanted();
    });

    describe('in a time that is over', () => {
      before(() => (limits = { signInMs: 1 }));
      after(() => (limits = {}));
      it('R11 is told as expired', async () => {
        await wanted();
        const mark = scene.host.mark;
        const led = await browse((await begin()).url);
        await scene.host.next('server_changed', mark, (event) => event.data.content?.account === 'needed');
        assert.equal((await refusal(led)).code, 'sign_in_expired');
      });
    });
  });

  describe('while everything is paused', () => {
    const pause = () => scene.host.request('host/pause', { by: 'test' });
    const resume = () => scene.host.request('host/resume', { by: 'test' });

    it('P1 a sign-in does not begin', async () => {
      await wanted();
      await pause();
      const refused = await scene.host.refused('server/signIn', { server: id, redirectUri: REDIRECT });
      assert.equal(refused.code, 'host_paused');
      assert.deepEqual(guarded.seen, ['POST /mcp initialize']);
    });

    it('P3 one that is being prepared is given up, and nothing of it leaves behind the reply', async () => {
      await wanted();
      const held = guarded.hold('POST /register');
      const refused = scene.host.refused('server/signIn', { server: id, redirectUri: REDIRECT });
      await held.reached;
      await pause();
      const before = guarded.seen.length;
      held.open();
      assert.equal((await refused).code, 'host_paused');
      assert.equal((await server()).account, 'needed');
      assert.equal(guarded.seen.length, before);
    });

    it('P5 P7 what the browser brings is kept, and exchanged after the release', async () => {
      await wanted();
      const led = await browse((await begin()).url);
      await pause();
      const before = guarded.seen.length;
      const { server: now } = await scene.host.request('server/signInAnswer', led);
      assert.equal(now.account, 'under_way');
      assert.equal(guarded.seen.length, before);
      const mark = scene.host.mark;
      await resume();
      await reaches('ready', mark);
      assert.equal(guarded.count('POST /token authorization_code'), 1);
    });

    it('P1 a refused token is not renewed behind the pull', async () => {
      await signedIn();
      guarded.revoke();
      const held = guarded.hold('POST /mcp tools/call');
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      scene.server.script([{ calls: [{ tool: 'guarded__echo', args: {}, id: 'c1' }] }, done()]);
      await scene.say('go');
      await held.reached;
      await pause();
      const before = guarded.seen.length;
      held.open();
      await scene.host.next('tool_completed', 0, (event) => event.data.call_id === 'c1');
      assert.equal(guarded.seen.length, before);
      await resume();
      await scene.host.next('turn_ended');
    });
  });
});
