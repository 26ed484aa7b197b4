import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { UnixPty } from '../../host/adapters/terminals/pty';

describe('a PTY', () => {
  it('R5 X6 whose other side cannot be opened leaves no program behind, and says so', async () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
    const fd = openSync('/dev/null', 'r');
    const native = {
      fork: () => ({ fd, pid: child.pid ?? 0, pty: '/nowhere/pts' }),
      resize: () => undefined,
    };
    const request = { file: 'sleep', args: [], cwd: '/', env: {}, cols: 80, rows: 24 };
    const listener = { onData: () => undefined, onExit: () => undefined };
    assert.throws(() => new UnixPty(native, '', request, listener), /ENOENT/);
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  });
});
