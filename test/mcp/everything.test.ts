/** The protocol's own example server, as it comes from npm, over both transports. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { done, scenes, toldOf } from '../support/scene';

const program = join(__dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

for (const transport of ['stdio', 'streamableHttp'] as const)
  describe(`mcp: server-everything over ${transport}`, () => {
    let child: ChildProcess | undefined;
    let config: object = {};
    before(async () => {
      if (transport === 'stdio') {
        config = { command: process.execPath, args: [program, 'stdio'] };
        return;
      }
      const port = await freePort();
      child = spawn(process.execPath, [program, 'streamableHttp'], {
        env: { ...process.env, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const server = child;
      await new Promise<void>((resolve) => {
        for (const stream of [server.stdout, server.stderr])
          stream?.on('data', (bytes: Buffer) => {
            if (bytes.toString().includes(String(port))) resolve();
          });
      });
      config = { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
    });
    after(async () => {
      if (child === undefined) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    const scene = scenes({ lazily: () => ({ mcp: { servers: { every: config } } }) });
    const told = async (tool: string, args: object = {}, id = 'c1') => {
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      const mark = scene.host.mark;
      scene.server.script([{ calls: [{ tool: `every__${tool}`, args, id }] }, done()]);
      await scene.say('go');
      await scene.host.next('turn_ended', mark);
      return toldOf(scene.server, id);
    };

    it('M2 its tools are listed, and answer with text, numbers, pictures, data and progress', async () => {
      assert.deepEqual(await told('echo', { message: 'hello' }), { text: 'Echo: hello' });
      const { items } = await scene.host.request('server/list', {});
      assert.ok((items[0]?.tools.length ?? 0) > 5, JSON.stringify(items[0]));
      assert.match(String((await told('get-sum', { a: 2, b: 3 }, 'c2'))['text']), /5/);
      await told('get-tiny-image', {}, 'c3');
      const picture = await scene.host.next('tool_completed', 0, (event) => event.data.call_id === 'c3');
      assert.equal(picture.data.images?.length, 1);
      const data = await told('get-structured-content', { location: 'New York' }, 'c4');
      assert.equal(typeof (data['structured'] as Record<string, unknown>)['temperature'], 'number');
      await told('trigger-long-running-operation', { duration: 1, steps: 2 }, 'c5');
      assert.ok(
        scene.host.events.some((event) => event.type === 'tool_progress' && event.data.call_id === 'c5'),
      );
    });
  });
