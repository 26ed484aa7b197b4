import assert from 'node:assert/strict';
import { hasProxy, proxyFor, proxySecrets, type WebSettings } from '../../host/base/web/proxy';
import { ProxyFailure } from '../../host/base/web/proxyFailure';
import { createWeb } from '../../host/base/web/web';
import { handClock } from '../models/bench';
import { startModelServer } from '../support/modelServer';
import { startProxy } from '../support/proxyServer';

type Env = Record<string, string>;
const via = (address: string, settings: WebSettings, env: Env = {}) =>
  proxyFor(new URL(address), settings, env)?.shown;
const PROXY = { proxy: 'http://proxy.corp:3128' };

describe('the proxy of a request', () => {
  it('is that of the settings, else that of the environment, in whichever case its name is', () => {
    const env = { HTTPS_PROXY: 'http://env:1', http_proxy: 'env:2' };
    assert.equal(via('https://a.test', PROXY, env), 'http://proxy.corp:3128');
    assert.equal(via('https://a.test', {}, env), 'http://env:1');
    assert.equal(via('http://a.test', { proxy: '' }, env), 'http://env:2');
    assert.equal(via('https://a.test', {}, { HTTP_PROXY: 'http://env:3' }), 'http://env:3');
    assert.equal(via('https://a.test', { proxySupport: 'off', ...PROXY }, env), undefined);
    assert.equal(hasProxy({ proxySupport: 'off' }, env), false);
    assert.equal(hasProxy({}, { NO_PROXY: '*' }), false);
  });

  it('is none for what is on this machine', () => {
    for (const host of [
      'localhost',
      'a.localhost',
      'localhost.',
      '127.0.0.1',
      '127.9.9.9',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ])
      assert.equal(via(`http://${host}:1/v1`, PROXY), undefined, host);
    assert.equal(via('http://[::ffff:10.0.0.1]', PROXY), 'http://proxy.corp:3128');
    assert.equal(via('http://localhost.evil.test', PROXY), 'http://proxy.corp:3128');
  });

  it('is none for what is left out: a host, all below it, a port, a subnet, everything', () => {
    const direct = (address: string, ...noProxy: string[]) =>
      via(address, { ...PROXY, noProxy }) === undefined;
    assert.ok(direct('https://a.corp', 'a.corp'));
    assert.ok(direct('https://b.a.corp', 'a.corp'));
    assert.ok(direct('https://b.a.corp', '.a.corp'));
    assert.ok(direct('https://B.A.corp', '*.A.corp'));
    assert.ok(!direct('https://ba.corp', 'a.corp'));
    assert.ok(direct('https://a.corp', 'a.corp:443'));
    assert.ok(!direct('https://a.corp:8443', 'a.corp:443'));
    assert.ok(direct('http://10.1.2.3', '10.0.0.0/8'));
    assert.ok(!direct('http://11.1.2.3', '10.0.0.0/8', 'x/y', '10.0.0.0/99'));
    assert.ok(direct('http://[fd00::1]', 'fd00::/8'));
    assert.ok(direct('http://[fd00::1]:80', '[fd00::1]:80'));
    assert.ok(direct('https://a.corp', '*'));
    assert.ok(!direct('https://a.corp', '', ' '));
    assert.equal(via('https://a.corp', PROXY, { NO_PROXY: 'b.corp, a.corp' }), undefined);
  });

  it('X8 is shown without credentials, which are secrets in each form in which they leave', () => {
    const settings = { proxy: 'http://me:p%40ss-word@proxy.corp:3128' };
    const proxy = proxyFor(new URL('https://a.test'), settings, {});
    assert.equal(proxy?.shown, 'http://proxy.corp:3128');
    assert.equal(proxy.url.href, 'http://proxy.corp:3128/');
    const sent = Buffer.from('me:p@ss-word').toString('base64');
    assert.equal(proxy.authorization, `Basic ${sent}`);
    for (const value of ['p%40ss-word', 'p@ss-word', sent])
      assert.ok(proxySecrets(settings, {}).includes(value), value);
    assert.ok(proxySecrets({ proxyAuthorization: 'Bearer token-1' }, {}).includes('token-1'));
    const inEnv = { HTTPS_PROXY: 'http://u:in-https@p', HTTP_PROXY: 'http://u:in-http@p' };
    assert.ok(['in-https', 'in-http'].every((value) => proxySecrets({}, inEnv).includes(value)));
  });

  it('X8 has its password kept secret also where the host does not go through it', () => {
    const env = {
      http_proxy: 'in-plain:pass@word-1@proxy:1',
      HTTPS_PROXY: 'https://u:in-https@proxy',
      ftp_proxy: 'http://u:in-ftp@proxy',
      ALL_PROXY: 'socks5h://u:in/all@proxy:1080',
      All_Proxy: 'socks4://u:in%2Dmixed@proxy',
      NO_PROXY: 'http://u:not-one@proxy',
    };
    const passwords = ['pass@word-1', 'in-https', 'in-ftp', 'in/all', 'in-mixed', 'in%2Dmixed'];
    for (const settings of [{}, PROXY, { proxySupport: 'off' }]) {
      const secrets = proxySecrets(settings, env);
      for (const value of passwords) assert.ok(secrets.includes(value), value);
      assert.ok(secrets.includes(Buffer.from('in-plain:pass@word-1').toString('base64')));
      assert.ok(!secrets.includes('not-one'));
    }
    assert.deepEqual(proxySecrets(PROXY, { HTTPS_PROXY: 'http://proxy:1' }), []);
  });

  for (const account of ['u:hidden@', 'u:hid/den@', 'u:hid@den@', 'u:hid:den@', 'u:hid?den#@'])
    it(`X8 is refused where it is none over HTTP, without its password (${account})`, () => {
      assert.throws(
        () => via('https://a.test', { proxy: `socks5://${account}proxy:1080` }),
        (error) =>
          error instanceof ProxyFailure &&
          error.fault === 'unusable' &&
          error.proxy === 'socks5://proxy:1080',
      );
    });
});

describe('the way of a request', () => {
  it('R11 ends when a proxy says nothing in time, and leaves no connection', async () => {
    const clock = handClock();
    const proxy = await startProxy(1, () => ({ silent: true }));
    const web = createWeb({ settings: () => ({ proxy: proxy.url }), env: {}, clock, log: () => undefined });
    const way = await web.to('https://models.test/v1');
    assert.equal(way.proxy, proxy.url);
    const asking = way.fetch('https://models.test/v1').catch((error: unknown) => error);
    await proxy.came(1);
    clock.pass(20_000);
    const failed = await asking;
    assert.ok(failed instanceof Error && failed.cause instanceof ProxyFailure);
    assert.equal(failed.cause.fault, 'silent');
    await proxy.quiet();
    await web.dispose();
    await proxy.stop();
  });

  it('R11 goes by the settings of its request, also where they have changed since it was looked for', async () => {
    const server = await startModelServer();
    server.lists(() => ({ body: { data: [] } }));
    const proxies = [
      await startProxy(Number(new URL(server.url).port)),
      await startProxy(Number(new URL(server.url).port)),
    ];
    let settings: WebSettings = { proxy: proxies[0]?.url };
    const web = createWeb({ settings: () => settings, env: {}, clock: handClock(), log: () => undefined });
    const way = await web.to('http://models.test/models');
    settings = { proxy: proxies[1]?.url };
    await web.to('http://models.test/models');
    const response = await way.fetch('http://models.test/models');
    assert.equal(response.status, 200);
    await response.text();
    assert.deepEqual(
      proxies.map(({ asked }) => asked.length),
      [0, 1],
    );
    await web.dispose();
    for (const one of [...proxies, server]) await one.stop();
  });

  it('P1 one of two that wait for the same tunnel may be given up, and the other keeps it', async () => {
    const proxy = await startProxy(1, () => ({ silent: true }));
    const web = createWeb({
      settings: () => ({ proxy: proxy.url }),
      env: {},
      clock: handClock(),
      log: () => undefined,
    });
    const { fetch: send } = await web.to('https://models.test/v1');
    const first = new AbortController();
    const second = new AbortController();
    const ask = ({ signal }: AbortController) =>
      send('https://models.test/v1', { signal }).catch((error: unknown) => error);
    const asking = [ask(first), ask(second)];
    await proxy.came(2);
    first.abort();
    await asking[0];
    assert.equal(proxy.open(), 2);
    second.abort();
    await asking[1];
    await proxy.quiet();
    await web.dispose();
    await proxy.stop();
  });
});
