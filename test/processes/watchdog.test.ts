import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { buildSync } from 'esbuild';
import { Watchdog } from '../../host/adapters/processes/watchdog';
import { Fifo, FORK_SERVER, free, Host } from './support';
import { holding, STUBBORN } from './stubborn';

type HostProcess = ChildProcessByStdio<Writable, Readable, null>;

describe('The death of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-watchdog-'));
  const program = join(folder, 'host.cjs');
  let hosts = 0;

  before(() => {
    buildSync({
      entryPoints: [join(__dirname, 'fixtures/host.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const deaths: Readonly<Record<string, { worker?: boolean; die(host: HostProcess): void }>> = {
    'by SIGKILL': { die: (host) => void host.kill('SIGKILL') },
    'by SIGTERM': { die: (host) => void host.kill('SIGTERM') },
    'by its own exit': { die: (host) => void host.stdin.write('exit\n') },
    'of its thread alone': { worker: true, die: (host) => void host.stdin.write('terminate\n') },
  };
  for (const [name, death] of Object.entries(deaths)) {
    it(`X6: ${name} leaves none of its processes`, async () => {
      hosts += 1;
      const id = `dying-${process.pid}-${hosts}`;
      const fifo = new Fifo(folder, id);
      const commands = Object.values(STUBBORN).map((command) => holding(command, fifo.path));
      const worker = death.worker === true;
      const task = { host: id, folder, commands, worker, forkServer: FORK_SERVER };
      const host = spawn(process.execPath, [program, JSON.stringify(task)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      await line(host.stdout, 'up');
      const dog = watchdogOf(id);
      death.die(host);
      await fifo.ended;
      assert.deepEqual(markedBy(id), []);
      if (death.worker === true) assert.equal(host.exitCode, null, 'the process has outlived its thread');
      if (host.exitCode === null && host.signalCode === null) {
        host.kill('SIGKILL');
        await once(host, 'exit');
      }
      await ended(dog);
    }).timeout(20_000);
  }
});

describe('The watchdog', () => {
  it('X6: that was killed is replaced, and the new one knows what already runs', async () => {
    const host = await Host.start();
    const log: string[] = [];
    let told: () => void = () => {};
    const dog = new Watchdog(host.mark.text, { PATH: process.env['PATH'] ?? '' }, (_, text) => {
      log.push(text);
      told();
    });
    dog.start(free);
    const fifo = new Fifo(host.folder);
    const command = spawn('sh', ['-c', `exec 9>${fifo.path}; echo up; exec sleep 1000`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await line(command.stdout, 'up');
    dog.add(command.pid ?? 0);
    const restarted = new Promise<void>((done) => (told = done));
    process.kill(watchdogOf(host.mark.host), 'SIGKILL');
    await restarted;
    assert.match(log[0] ?? '', /SIGKILL/);
    dog.start(free);
    await dog.dispose();
    await fifo.ended;
    await host.stop();
  });

  it('X6: leaves alone what has been taken off its list, and what never was on it', async () => {
    const host = await Host.start();
    const dog = new Watchdog(host.mark.text, { PATH: process.env['PATH'] ?? '' }, () => {});
    dog.start(free);
    const [one, two] = [sleeper(), sleeper()];
    dog.add(one.pid ?? 0);
    dog.remove(one.pid ?? 0);
    await dog.dispose();
    assert.deepEqual([one.exitCode, one.signalCode, two.exitCode, two.signalCode], [null, null, null, null]);
    for (const each of [one, two]) {
      each.kill('SIGKILL');
      assert.deepEqual((await once(each, 'exit'))[1], 'SIGKILL');
    }
    await host.stop();
  });

  it('X6: forgets a group that nobody took off its list and that has gone, whose number is another’s by then', async () => {
    const host = await Host.start();
    const dog = new Watchdog(host.mark.text, { PATH: process.env['PATH'] ?? '' }, () => {});
    dog.start(free);
    const [gone, next] = [sleeper(), sleeper()];
    dog.add(gone.pid ?? 0);
    gone.kill('SIGKILL');
    await once(gone, 'exit');
    dog.add(next.pid ?? 0);
    assert.deepEqual(dog.watched(), [next.pid]);
    next.kill('SIGKILL');
    await once(next, 'exit');
    await dog.dispose();
    assert.deepEqual(dog.watched(), []);
    await host.stop();
  });

  it('X6: costs nothing until a command is run', async () => {
    const host = await Host.start();
    assert.throws(() => watchdogOf(host.mark.host));
    await host.run('true');
    assert.ok(watchdogOf(host.mark.host) > 0);
    await host.stop();
    assert.throws(() => watchdogOf(host.mark.host));
  });
});

function sleeper(): ReturnType<typeof spawn> {
  return spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
}

function markedBy(host: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).includes(`BELAY_HOST=${host}.`))
    .map(Number);
}

function watchdogOf(host: string): number {
  const found = readdirSync('/proc').find(
    (name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).includes(`belay-watchdog\0${host}.`),
  );
  if (found === undefined) throw new Error('There is no watchdog.');
  return Number(found);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

async function ended(pid: number): Promise<void> {
  const tail = spawn('tail', ['-s', '0.01', `--pid=${pid}`, '-f', '/dev/null'], { stdio: 'ignore' });
  await once(tail, 'exit');
}

async function line(from: Readable, wanted: string): Promise<void> {
  let text = '';
  for await (const bytes of from.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    if (text.includes(wanted)) return;
  }
  throw new Error(`It ended without saying ${wanted}: ${text}`);
}
