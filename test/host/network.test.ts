import assert from 'node:assert/strict';
import { HostClient, localModel } from '../support/hostClient';
import { authority } from '../support/certificates';
import { startModelServer, type ModelServer } from '../support/modelServer';
import { StandIn } from '../support/mcpStandIn';
import { startProxy, startTls, type Manners, type ProxyServer } from '../support/proxyServer';
import { done, toldOf } from '../support/scene';

const trusted = authority();
const LIMITS = { modelAttempts: 2, backoffMs: 1 };

describe('a host in the network of a company', () => {
  let server: ModelServer;
  let tls: Awaited<ReturnType<typeof startTls>>;
  let proxy: ProxyServer;
  let manners: Manners;
  let host: HostClient;

  beforeEach(async () => {
    manners = {};
    server = await startModelServer();
    tls = await startTls(Number(new URL(server.url).port), trusted.certify('models.test'));
    proxy = await startProxy(tls.port, () => manners);
  });
  afterEach(async () => {
    await host.stop();
    await proxy.stop();
    await tls.stop();
    await server.stop();
  });

  const settingsOf = (http: Record<string, unknown>, url = 'https://models.test/v1') =>
    localModel(url, { limits: LIMITS, http });
  /** A host whose models are behind the proxy, by these settings, and a turn in it. */
  const say = async (http: Record<string, unknown>, url?: string) => {
    host = await HostClient.start({ settings: settingsOf(http, url) });
    return again();
  };
  const again = async () => {
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    await host.request('message/send', { session: session.id, text: 'go' });
    return session.id;
  };
  const ended = async (after = 0) => (await host.next('turn_ended', after)).data;

  it('R7 a model over TLS is asked through a tunnel of the proxy, which sees neither key nor words', async () => {
    server.script([done('Through.')]);
    await say({ proxy: proxy.url, proxyStrictSSL: false });
    assert.equal((await ended()).status, 'completed');
    assert.deepEqual(proxy.asked, [{ method: 'CONNECT', target: 'models.test:443' }]);
    assert.equal(server.requests.length, 1);
  });

  it('R7 a model over plain HTTP is asked through the proxy by its whole address', async () => {
    const plain = await startProxy(Number(new URL(server.url).port));
    server.script([done()]);
    await say({ proxy: plain.url }, 'http://models.test/v1');
    assert.equal((await ended()).status, 'completed');
    assert.deepEqual(plain.asked, [{ method: 'POST', target: 'http://models.test/v1/chat/completions' }]);
    await host.stop();
    await plain.stop();
  });

  it('R11 a proxy that wants to know who asks says so over plain HTTP as well', async () => {
    manners = { authorization: 'Basic eDp5' };
    await say({ proxy: proxy.url }, 'http://models.test/v1');
    assert.match((await ended()).detail ?? '', /The proxy .* wants to know who asks \(407\)/);
  });

  it('R7 what is on this machine, and what "http.noProxy" names, is asked directly', async () => {
    server.reply(() => done());
    await say({ proxy: proxy.url }, server.url);
    assert.equal((await ended()).status, 'completed');
    assert.deepEqual(proxy.asked, []);
    await host.request('settings/update', {
      settings: settingsOf({ proxy: proxy.url, noProxy: ['.test'] }, 'http://nowhere.test/v1'),
    });
    const from = host.events.length;
    await again();
    const failed = await ended(from);
    assert.equal(failed.code, 'model_unreachable');
    assert.deepEqual(proxy.asked, []);
  });

  it('R11 a change of the settings counts for the next request', async () => {
    manners = { authorization: 'Basic dTpzZWNyZXQtcGFzcw==' };
    server.reply(() => done());
    await say({ proxy: proxy.url, proxyStrictSSL: false });
    const first = await ended();
    assert.equal(first.code, 'model_unreachable');
    assert.match(first.detail ?? '', /The proxy http:\/\/127\.0\.0\.1:\d+ wants to know who asks \(407\)/);
    assert.equal(proxy.asked.length, 1, 'another attempt would be refused as well');
    const named = proxy.url.replace('//', '//u:secret-pass@');
    await host.request('settings/update', { settings: settingsOf({ proxy: named, proxyStrictSSL: false }) });
    const from = host.events.length;
    await again();
    assert.equal((await ended(from)).status, 'completed');
    assert.equal(proxy.asked.at(-1)?.authorization, 'Basic dTpzZWNyZXQtcGFzcw==');
  });

  it('R11 "http.proxyAuthorization" is said to the proxy as it is', async () => {
    manners = { authorization: 'Bearer company' };
    server.script([done()]);
    await say({ proxy: proxy.url, proxyStrictSSL: false, proxyAuthorization: 'Bearer company' });
    assert.equal((await ended()).status, 'completed');
  });

  it('X8 the failure names the proxy without its password, and a result of a command does not show it', async () => {
    manners = { status: 403 };
    const named = proxy.url.replace('//', '//u:secret-pass@');
    await say({ proxy: named });
    const { code, detail = '' } = await ended();
    assert.equal(code, 'model_unreachable');
    assert.match(
      detail,
      /The proxy http:\/\/127\.0\.0\.1:\d+ does not lead to models\.test: it answered 403/,
    );
    assert.doesNotMatch(JSON.stringify([host.events, host.logs]), /secret-pass|dTpzZWNyZXQtcGFzcw/);
  });

  it('R11 a proxy that is not there is named, and tried again', async () => {
    const { url } = proxy;
    await proxy.stop();
    await say({ proxy: url, proxyStrictSSL: false });
    const { code, detail = '' } = await ended();
    assert.equal(code, 'model_unreachable');
    assert.match(detail, new RegExp(`The proxy ${url} cannot be reached.*ECONNREFUSED`));
    assert.equal(host.events.filter(({ type }) => type === 'model_retry').length, 1);
  });

  it('R11 a proxy of another kind is refused, and nothing goes past it', async () => {
    await say({ proxy: 'socks5://127.0.0.1:1' }, 'http://models.test/v1');
    const { detail = '' } = await ended();
    assert.match(detail, /The proxy socks5:\/\/127\.0\.0\.1:1 cannot be used/);
  });

  it('R11 a certificate that is not trusted is said to be that, and what to do', async () => {
    await say({ proxy: proxy.url });
    const { code, detail = '' } = await ended();
    assert.equal(code, 'model_unreachable');
    assert.match(detail, /The certificate of models\.test is not trusted\. Add .* NODE_EXTRA_CA_CERTS/);
    assert.equal(server.requests.length, 0);
  });

  it('R11 a proxy that speaks TLS by a certificate that is not trusted is told from whom it leads to', async () => {
    const own = trusted.certify('127.0.0.1');
    const secure = await startProxy(tls.port, () => ({ certified: own }));
    server.reply(() => done());
    await say({ proxy: secure.url });
    assert.match(
      (await ended()).detail ?? '',
      /The certificate of the proxy https:\/\/127\.0\.0\.1:\d+ is not trusted/,
    );
    await host.request('settings/update', {
      settings: settingsOf({ proxy: secure.url, proxyStrictSSL: false }),
    });
    const from = host.events.length;
    await again();
    assert.equal((await ended(from)).status, 'completed');
    await host.stop();
    await secure.stop();
  });

  it('P1 P2 a pull ends a CONNECT that is under way, and after a release the request is made again', async () => {
    manners = { silent: true };
    await say({ proxy: proxy.url, proxyStrictSSL: false });
    await proxy.came(1);
    await host.request('host/pause', {});
    await proxy.quiet();
    assert.equal(proxy.asked.length, 1);
    assert.equal(server.requests.length, 0);
    manners = {};
    server.script([done('After.')]);
    await host.request('host/resume', {});
    assert.equal((await ended()).status, 'completed');
    assert.equal(server.requests.length, 1);
  });

  it('M1 a list of models is asked for through the proxy', async () => {
    server.lists(() => ({ body: { data: [{ id: 'listed' }] } }));
    host = await HostClient.start({ settings: settingsOf({ proxy: proxy.url, proxyStrictSSL: false }) });
    const { items } = await host.request('model/list', { look: true });
    assert.ok(items.some(({ id }) => id === 'local/listed'));
    assert.equal(proxy.asked[0]?.target, 'models.test:443');
  });

  it('M2 a server over HTTP is reached through the proxy', async () => {
    const standIn = new StandIn();
    const address = new URL(await standIn.serve());
    const plain = await startProxy(Number(address.port));
    server.script([{ calls: [{ tool: 'fake__echo', args: { text: 'hi' }, id: 'c1' }] }, done()]);
    const settings = {
      ...localModel(server.url, { http: { proxy: plain.url } }),
      mcp: { servers: { fake: { type: 'http', url: `http://mcp.test${address.pathname}` } } },
      approvals: { mode: 'full' },
    };
    host = await HostClient.start({ settings });
    await again();
    assert.equal((await ended()).status, 'completed');
    assert.deepEqual(toldOf(server, 'c1'), { text: 'hi' });
    assert.ok(plain.asked.length > 0);
    assert.ok(plain.asked.every(({ target }) => target.startsWith('http://mcp.test/')));
    await host.stop();
    await plain.stop();
    await standIn.stop();
  });

  it('M2 R11 a server that the proxy does not lead to says so', async () => {
    manners = { status: 403 };
    host = await HostClient.start({
      settings: {
        ...localModel(server.url, { http: { proxy: proxy.url } }),
        mcp: { servers: { fake: { type: 'http', url: 'https://mcp.test/mcp' } } },
        limits: { serverBackoffMs: 600_000 },
      },
    });
    server.reply(() => done());
    await again();
    const told = await host.next('server_changed', 0, ({ data }) => data.content?.error !== undefined);
    assert.match(
      told.data.content?.error ?? '',
      /The proxy http:\/\/127\.0\.0\.1:\d+ does not lead to mcp\.test/,
    );
  });

  it('R11 a proxy in the settings that is no text is named by its key, never by its value', async () => {
    host = HostClient.spawn({ settings: { http: { proxy: ['http://u:secret-pass@p'] } } });
    const { warnings } = await host.initialize();
    assert.deepEqual(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^"http\.proxy" is a list; it must be a text/);
    assert.doesNotMatch(JSON.stringify(warnings), /secret-pass/);
  });
});
