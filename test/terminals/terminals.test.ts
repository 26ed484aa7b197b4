import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scenes } from '../support/scene';
import { ended, free, open, pasted, readUntil, tell, terminal, View, write } from './support';

describe('terminals through a whole host', function () {
  this.timeout(20_000);
  const scene = scenes({ settings: { handles: { wakeIdleSession: false } } });
  beforeEach(() => free(scene));

  it('X3 a command on a terminal: its handle, what it printed, and its end', async () => {
    const told = await tell(scene, terminal({ command: 'test -t 0 && test -t 1 && echo on a tty; exit 3' }));
    assert.deepEqual(told, {
      handle: 'proc:1',
      output: 'on a tty\n',
      running: false,
      exit_code: 3,
      success: false,
      whole: told['whole'],
    });
    const end = await ended(scene.host, 'proc:1');
    assert.equal(end.data.end, 'exited');
    assert.equal(end.data.exit_code, 3);
  });

  it('X3 a shell at its prompt: each read gives only what is new', async () => {
    const handle = await open(scene);
    await readUntil(scene, write(handle, { text: 'echo $((20+1))\r', yield_ms: 300 }), '21\n');
    const second = await readUntil(scene, write(handle, { text: 'echo $((30+1))\r' }), '31\n');
    assert.doesNotMatch(second, /21/);
    const third = await tell(scene, write(handle, { yield_ms: 0 }));
    assert.doesNotMatch(String(third['output']), /31/);
    assert.equal(third['running'], true);
    const left = await tell(scene, write(handle, { text: 'exit 4\r', yield_ms: 5_000 }));
    assert.equal(left['exit_code'], 4);
    assert.equal(left['running'], false);
  });

  it('X3 120 by 30 columns and rows, and any other size', async () => {
    const handle = await open(scene, { command: 'stty size; read x; stty size; read x' });
    const first = await readUntil(scene, write(handle, { yield_ms: 200 }), '\n');
    assert.equal(first, '30 120\n');
    const typed = write(handle, { cols: 80, rows: 24, text: '\r', yield_ms: 200 });
    assert.equal(await readUntil(scene, typed, '80\n'), '\n24 80\n');
    await scene.host.request('handle/stop', { handle });
  });

  it('X3 a paste of 200 KB arrives whole and in order, though its pieces come faster than they are read', async () => {
    const text = pasted(200 * 1024);
    const bytes = Buffer.byteLength(text);
    const command = `stty raw -echo; echo ready; head -c ${String(bytes)} > pasted.txt; sha256sum pasted.txt`;
    const handle = await open(scene, { command });
    const view = await View.attach(scene.host, handle);
    await view.shows('ready');
    const size = 16 * 1024;
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
      text.slice(n * size, (n + 1) * size),
    );
    await Promise.all(pieces.map((piece) => scene.host.request('handle/write', { handle, text: piece })));
    await view.shows(createHash('sha256').update(text).digest('hex'));
    assert.equal((await ended(scene.host, handle)).data.exit_code, 0);
    assert.equal(readFileSync(join(scene.host.workspace, 'pasted.txt'), 'utf8'), text);
  });

  it('X3 a person attaches, types, resizes and detaches without ending it', async () => {
    const handle = await open(scene);
    const view = await View.attach(scene.host, handle, { cols: 90, rows: 20 });
    await scene.host.request('handle/write', { handle, text: 'stty size\r' });
    await view.shows('20 90');
    await scene.host.request('handle/resize', { handle, cols: 91, rows: 21 });
    await scene.host.request('handle/write', { handle, text: 'stty size\r' });
    await view.shows('21 91');
    await scene.host.request('handle/detach', { view: view.id });
    await readUntil(scene, write(handle, { text: 'echo still $((1+1))\r', yield_ms: 300 }), 'still 2');
    const again = await View.attach(scene.host, handle);
    await again.shows('still 2');
    assert.match(again.text, /20 90[\s\S]*21 91/);
    const stopped = await scene.host.request('handle/stop', { handle });
    assert.deepEqual(stopped, { handle, stopped: true, ran: true });
    await again.ended();
  });
});
