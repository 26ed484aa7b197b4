import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { Editor } from '../support/acpEditor';
import { authority } from '../support/certificates';
import { localModel } from '../support/hostClient';
import { startModelServer } from '../support/modelServer';
import { startProxy, startTls } from '../support/proxyServer';
import { done } from '../support/scene';

describe('served over ACP, in the network of a company', function () {
  this.timeout(30_000);

  let base: string;
  let folder: string;
  let stops: (() => Promise<void>)[];
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'belay-acp-'));
    folder = join(base, 'workspace');
    mkdirSync(folder);
    stops = [];
  });
  afterEach(async () => {
    for (const stop of stops) await stop();
    rmSync(base, { recursive: true, force: true });
  });
  /** A model over TLS behind a proxy, its certificate signed by an authority whose own is in `company.pem`. */
  const network = async () => {
    const own = authority();
    writeFileSync(join(base, 'company.pem'), own.cert);
    const server = await startModelServer();
    const secure = await startTls(Number(new URL(server.url).port), own.certify('models.test'));
    const proxy = await startProxy(secure.port);
    writeFileSync(
      join(base, 's.json'),
      JSON.stringify(localModel('https://models.test/v1', { limits: { modelAttempts: 1 } })),
    );
    stops.push(proxy.stop, secure.stop, () => server.stop());
    return { server, proxy };
  };

  it('R7 the proxy and the certificates are those of the environment, as other programs read it', async () => {
    const { server, proxy } = await network();
    const editor = new Editor(base, {
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: join(base, 'company.pem'),
    });
    server.script([done('Through.')]);
    await editor.prompt(await editor.open(folder), 'go');
    assert.equal(editor.said(), 'Through.');
    assert.deepEqual(proxy.asked, [{ method: 'CONNECT', target: 'models.test:443' }]);
    await editor.end();
  });

  it('R7 R11 what this machine trusts is trusted where Node can tell, and elsewhere the failure says what to do', async () => {
    const { server, proxy } = await network();
    const editor = new Editor(base, { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: join(base, 'company.pem') });
    server.reply(() => done('Through.'));
    const told = await editor.prompt(await editor.open(folder), 'go').then(
      () => editor.said(),
      (error: unknown) => String(error),
    );
    if ('getCACertificates' in tls) assert.match(told, /Through\./);
    else assert.match(told, /The certificate of models\.test is not trusted/);
    await editor.end();
  });
});
