import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { localSockets, type Listening } from '../../host/base/localSocket';

describe('sockets between hosts', () => {
  let dir: string;
  const servers: Listening[] = [];
  const path = (name: string): string => join(dir, 'belay', `${name}.sock`);

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'belay-sock-'));
    mkdirSync(join(dir, 'belay'), { mode: 0o700 });
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(path('made'), resolve));
    // A crash leaves the name behind.
    renameSync(path('made'), path('dead'));
    await new Promise((resolve) => dead.close(resolve));
  });

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('D4 a dead one’s name is removed by who looks at it', async () => {
    assert.equal(await localSockets(dir, 'linux').connect('dead'), undefined);
    assert.deepEqual(readdirSync(join(dir, 'belay')), []);
  });

  it('P1 D4 a name whose owner comes back while somebody looks at it stays reachable', async () => {
    const sockets = localSockets(dir, 'linux');
    // Refused by the kernel at once, and told a tick later.
    const looking = sockets.connect('dead');
    servers.push(await localSockets(dir, 'linux').listen('dead', 4, (socket) => socket.destroy()));
    await looking;
    const reached = await sockets.connect('dead');
    reached?.destroy();
    assert.notEqual(reached, undefined);
    assert.deepEqual(readdirSync(join(dir, 'belay')), ['dead.sock']);
  });

  it('D4 one that closes late leaves the name to the one that has taken it', async () => {
    const sockets = localSockets(dir, 'linux');
    const first = await sockets.listen('one', 4, (socket) => socket.destroy());
    servers.push(await sockets.listen('one', 4, (socket) => socket.destroy()));
    first.close();
    const reached = await sockets.connect('one');
    reached?.destroy();
    assert.notEqual(reached, undefined);
  });

  it('P1 a folder that has gone is made again', async () => {
    const sockets = localSockets(dir, 'linux');
    rmSync(join(dir, 'belay'), { recursive: true });
    assert.deepEqual(sockets.names(), []);
    servers.push(await sockets.listen('one', 4, (socket) => socket.destroy()));
    assert.deepEqual(sockets.names(), ['one']);
  });
});
