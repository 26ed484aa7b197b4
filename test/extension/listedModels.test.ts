import './vscodeStub';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { listedModels } from '../../extension/listedModels';
import { startModelServer } from '../support/modelServer';

describe('the models of a service', () => {
  it('are those that it lists, asked for with its key', async () => {
    const server = await startModelServer();
    server.list(['m1', 'm2', 'm1']);
    assert.deepEqual(await listedModels(`${server.url}/`, 'secret'), ['m1', 'm2']);
    assert.equal(server.asked[0]?.authorization, 'Bearer secret');
    assert.deepEqual(await listedModels(server.url, undefined), ['m1', 'm2']);
    assert.equal(server.asked[1]?.authorization, undefined);
    await server.stop();
    assert.deepEqual(await listedModels(server.url, undefined), [], 'nobody is there any more');
  });

  it('are none where it does not tell them; a redirection does not carry the key elsewhere', async () => {
    const bodies = ['', '[]', '{"data":{}}', '{"data":[1,{"id":""},{"id":7}]}'];
    const other = await startModelServer();
    other.list(['m1']);
    const odd = createServer((_request, response) => {
      const body = bodies.shift();
      if (body === undefined) response.writeHead(307, { location: `${other.url}/models` });
      response.end(body);
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    const address = odd.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    for (let n = 0; n < 5; n += 1)
      assert.deepEqual(await listedModels(`http://127.0.0.1:${String(port)}/v1`, 'secret'), []);
    assert.deepEqual([bodies, other.asked], [[], []]);
    odd.close();
    odd.closeAllConnections();
    await other.stop();
  });
});
