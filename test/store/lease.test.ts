import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { StoreError } from '../../host/store/errors';
import {
  acquireLease,
  type Acquired,
  HEARTBEAT_MS,
  type Lease,
  LEASE_STALE_MS,
  type LeaseOptions,
  type Taken,
} from '../../host/store/lease';
import { socketName } from '../../host/store/leaseSocket';
import { openReadOnly } from '../../host/store/readOnly';
import { WAL_IDLE_MS } from '../../host/store/writableStore';
import { Child } from './child';
import { BATCHES } from './childMain';
import { add, gate, HandClock, notes, quiet, Rig, wasm } from './support';

const isLocked = (error: unknown): boolean => error instanceof StoreError && error.code === 'store_locked';

describe('store: the lease', () => {
  const rig = new Rig();
  let clock: HandClock;
  const acquired: Acquired[] = [];

  beforeEach(() => {
    // Heartbeats are times of a real file, so this clock begins at the real time.
    clock = new HandClock(Date.now());
  });
  afterEach(async () => {
    await rig.end();
    for (const one of acquired.splice(0).reverse()) {
      if (one.kind === 'held') await one.lease.dispose();
      else one.dispose();
    }
    assert.equal(clock.armed, 0);
  });

  async function acquire(dir: string, options: Partial<LeaseOptions> = {}): Promise<Acquired> {
    const one = await acquireLease(dir, { clock, log: quiet, ...options });
    acquired.push(one);
    return one;
  }

  async function held(dir: string, options: Partial<LeaseOptions> = {}): Promise<Lease> {
    const one = await acquire(dir, options);
    if (one.kind !== 'held') throw new Error('The lease is taken.');
    return one.lease;
  }

  async function taken(dir: string, options: Partial<LeaseOptions> = {}): Promise<Taken> {
    const one = await acquire(dir, options);
    if (one.kind !== 'taken') throw new Error('The lease is free.');
    return one;
  }

  /** A host that cannot reach the first one's socket: another container on the same folder. */
  const elsewhere = { place: 'another machine', platform: 'darwin' } as const;

  it('is held by one; the other learns who has it and when it is free (D4)', async () => {
    const dir = rig.folder();
    const first = await held(dir);
    const second = await taken(dir);
    assert.equal(second.owner.pid, process.pid);
    let free = false;
    const released = second.released.then(() => {
      free = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(free, false);
    assert.equal(first.holds(), true);
    await first.dispose();
    assert.equal(first.holds(), false);
    await released;
    const third = await held(dir);
    assert.ok(third.holds());
  });

  it('of two folders are two, however they are named', async () => {
    const dir = rig.folder();
    const other = rig.folder();
    await held(dir);
    await held(other);
    await taken(join(dir, '..', 'store', '.'));
  });

  it('goes with its process: a second host reads the first, and takes over after kill -9 (D4)', async function () {
    this.timeout(60_000);
    const dir = rig.folder();
    const child = new Child('hold', dir, 1);
    await child.said('open');
    const second = await taken(dir);
    assert.equal(second.owner.pid, child.pid);
    const reader = await openReadOnly({ dir, wasm, newest: 1, clock, log: quiet });
    assert.equal(reader.read((q) => q.get('SELECT count(*) FROM batch'))?.[0], 1);
    assert.throws(
      () => reader.commit(() => 1),
      (error) => error instanceof StoreError && error.code === 'store_read_only',
    );
    await reader.dispose();
    await child.kill();
    await second.released;
    const lease = await held(dir);
    assert.equal(lease.number, 2);
    const opened = await rig.open(dir, { migrations: [BATCHES], fence: lease, clock });
    assert.equal(opened.lost, 0);
    assert.equal(opened.store.read((q) => q.get('SELECT count(*) FROM batch'))?.[0], 1);
    await opened.store.commit((q) => q.run('INSERT INTO batch (size) VALUES (0)')).durable;
    await opened.store.dispose();
  });

  it('is given back when a host ends properly', async function () {
    this.timeout(60_000);
    const dir = rig.folder();
    const child = new Child('hold', dir, 1);
    await child.said('open');
    const second = await taken(dir);
    await child.close();
    await second.released;
    await held(dir);
    assert.equal(existsSync(join(dir, 'belay.db-wal')), false);
  });

  it('lost to another owner lets the loser write nothing, not even at its end (D4)', async () => {
    const dir = rig.folder();
    const first = await held(dir);
    const loser = await rig.open(dir, { fence: first, clock });
    await add(loser, 'before');
    // It was suspended for so long that its heartbeats are old.
    const second = await held(dir, { ...elsewhere, clock: new HandClock(Date.now() + 2 * LEASE_STALE_MS) });
    assert.equal(second.number, 2);
    assert.equal(first.holds(), false);
    const winner = await rig.open(dir, { fence: second, clock });
    await add(winner, 'of the winner');
    const before = ['belay.db', 'belay.db-wal', 'acknowledged', 'lease'].map((name) =>
      readFileSync(join(dir, name)).toString('base64'),
    );
    const told: (string | undefined)[] = [];
    loser.store.onTrouble((trouble) => told.push(trouble?.code));
    assert.throws(() => add(loser, 'of the loser'), isLocked);
    assert.throws(() => notes(loser), isLocked);
    await loser.store.dispose();
    await first.dispose();
    assert.deepEqual(told, ['store_locked']);
    assert.deepEqual(
      ['belay.db', 'belay.db-wal', 'acknowledged', 'lease'].map((name) =>
        readFileSync(join(dir, name)).toString('base64'),
      ),
      before,
    );
    await add(winner, 'more');
    assert.deepEqual(notes(winner), ['before', 'of the winner', 'more']);
  });

  it('is not put back by one that slept while another place had the store, worked and ended well (D4)', async () => {
    const dir = rig.folder();
    const sleeper = new HandClock(Date.now());
    const first = await held(dir, { clock: sleeper });
    const loser = await rig.open(dir, { fence: first, clock });
    await add(loser, 'before');
    const second = await held(dir, { ...elsewhere, clock: new HandClock(Date.now() + 2 * LEASE_STALE_MS) });
    const winner = await rig.open(dir, { fence: second, clock });
    await add(winner, 'of the winner');
    await winner.store.dispose();
    await second.dispose();
    const before = readdirSync(dir);
    // It wakes: the first that runs may be its heartbeat.
    sleeper.sleep(2 * LEASE_STALE_MS);
    assert.equal(first.holds(), false);
    assert.throws(() => add(loser, 'of the loser'), isLocked);
    await loser.store.dispose();
    await first.dispose();
    assert.deepEqual(readdirSync(dir), before);
    const third = await rig.open(dir, { fence: await held(dir), clock });
    assert.deepEqual(notes(third), ['before', 'of the winner']);
  });

  it('lost unnoticed lets the loser write nothing in a quiet moment or at its end (D4)', async () => {
    const dir = rig.folder();
    const first = await held(dir);
    const loser = await rig.open(dir, { fence: first, clock });
    for (let note = 0; note < 100; note += 1) await add(loser, `${note}`.padEnd(4_000, '.'));
    const second = await held(dir, { ...elsewhere, clock: new HandClock(Date.now() + 2 * LEASE_STALE_MS) });
    const winner = await rig.open(dir, { fence: second, clock: rig.clock });
    await add(winner, 'of the winner');
    const files = (): string[] =>
      readdirSync(dir).map((name) => `${name} ${readFileSync(join(dir, name)).toString('base64')}`);
    const before = files();
    clock.advance(WAL_IDLE_MS);
    assert.deepEqual(files(), before);
    await loser.store.dispose();
    await first.dispose();
    assert.deepEqual(files(), before);
  });

  it('lost between a commit and its acknowledgement rejects the commit (D4)', async () => {
    const dir = rig.folder();
    const first = await held(dir);
    const loser = await rig.open(dir, { fence: first, clock });
    const hold = gate();
    rig.files.gate = hold.opened;
    const durable = add(loser, 'unsafe');
    await new Promise((resolve) => setImmediate(resolve));
    await held(dir, { ...elsewhere, clock: new HandClock(Date.now() + 2 * LEASE_STALE_MS) });
    hold.open();
    await assert.rejects(durable, isLocked);
  });

  it('that is lost opens no store for writing (D4)', async () => {
    const dir = rig.folder();
    const first = await held(dir);
    await first.dispose();
    await assert.rejects(rig.open(dir, { fence: first, clock }), isLocked);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('of an owner elsewhere counts while its heart beats, and is free when it stops (D4)', async () => {
    const dir = rig.folder();
    await held(dir);
    const second = await taken(dir, elsewhere);
    assert.equal(second.owner.pid, process.pid);
    assert.equal(await second.connect(), undefined);
    let free = false;
    const released = second.released.then(() => {
      free = true;
    });
    const before = statSync(join(dir, 'lease')).mtimeMs;
    clock.advance(HEARTBEAT_MS);
    assert.ok(statSync(join(dir, 'lease')).mtimeMs >= before);
    await Promise.resolve();
    assert.equal(free, false);
    clock.advance(2 * LEASE_STALE_MS);
    await released;
  });

  it('outlives a removal of the lock file, which makes nobody an owner', async () => {
    const dir = rig.folder();
    const lease = await held(dir);
    const opened = await rig.open(dir, { fence: lease, clock });
    rmSync(join(dir, 'lease'));
    await add(opened, 'still mine');
    assert.ok(existsSync(join(dir, 'lease')));
    assert.ok(lease.holds());
    await taken(dir);
  });

  it('hands on the connections of other windows, those that came early included', async () => {
    const dir = rig.folder();
    const lease = await held(dir);
    const second = await taken(dir);
    const early = await second.connect();
    const met: Socket[] = [];
    lease.onConnection((socket) => {
      met.push(socket);
      socket.on('data', (data) => socket.write(`heard ${data.toString()}`));
    });
    const late = await second.connect();
    for (const socket of [early, late]) {
      assert.ok(socket !== undefined);
      socket.write('you');
      const [answer] = await once(socket, 'data');
      assert.equal(String(answer), 'heard you');
      socket.destroy();
    }
    // The watching connection of the second host is the first of the three.
    assert.equal(met.length, 3);
  });

  it('on a system with socket files is taken over from a socket that nobody listens on', async () => {
    const dir = rig.folder();
    const name = socketName(dir, 'darwin');
    const owner: ChildProcess = spawn(
      process.execPath,
      ['-e', 'require("net").createServer().listen(process.argv[1], () => console.log("up"))', name],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    if (owner.stdout === null) throw new Error('No output.');
    await once(owner.stdout, 'data');
    await taken(dir, { platform: 'darwin' });
    owner.kill('SIGKILL');
    await once(owner, 'close');
    assert.ok(existsSync(name));
    const lease = await held(dir, { platform: 'darwin' });
    assert.ok(lease.holds());
    await lease.dispose();
    assert.equal(existsSync(name), false);
  });

  it('in a folder that may not be written says so', async () => {
    const dir = rig.folder();
    rig.files.fail = (operation, path) =>
      operation === 'open' && path.includes('lease') ? 'EROFS' : undefined;
    await assert.rejects(
      acquire(dir, { files: rig.files }),
      (error) => error instanceof StoreError && error.code === 'store_read_only',
    );
    rig.files.fail = () => undefined;
    await held(dir, { files: rig.files });
  });
});
