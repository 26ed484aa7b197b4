/**
 * What a person's word costs: from a verdict to the start of its command, from a steer to the model request that
 * contains it, and what a thousand waiting sessions cost while nobody does anything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plannedCall, Rig } from '../engine/rig';
import { HostClient, localModel } from '../support/hostClient';
import type { BenchResult } from './commit';
import { median, round } from './rounds';
import { startWireServer, type WireServer } from './wire';

const TIMES = 60;
/** Before the first that counts, as in `rounds`. */
const WARM_UP = 20;

async function newSession(host: HostClient) {
  const { session } = await host.request('session/create', {
    folder: host.workspace,
    agent: { kind: 'model', model: 'local/m1' },
  });
  return session.id;
}

/** A session whose command waits for its verdict. */
async function waiting(server: WireServer, host: HostClient, command: string, parked: boolean) {
  const session = await newSession(host);
  server.script('shell', { command }, 1);
  const mark = host.mark;
  await host.request('message/send', { session, text: 'go' });
  const asked = await host.next('approval_requested', mark);
  if (parked) await host.next('turn_waiting', mark);
  return { session, approval: asked.data.id, turn: asked.turn };
}

/**
 * When a file of this name appears in the folder, by this thread's clock. The system tells it within a tenth of a
 * millisecond; the file's own times are up to four behind.
 */
function appears(folder: string, name: string): { readonly at: Promise<number> } {
  const watcher = watch(folder);
  const at = new Promise<number>((done) =>
    watcher.on('change', (_, changed) => {
      if (changed === name) done(performance.now());
    }),
  );
  void at.then(() => watcher.close());
  return { at };
}

/** The file that the command makes tells when it began. */
async function verdicts(server: WireServer, host: HostClient, parked: boolean): Promise<number[]> {
  const times: number[] = [];
  for (let n = -WARM_UP; n < TIMES; n++) {
    const name = `began-${String(parked)}-${String(n)}`;
    const { approval, turn } = await waiting(server, host, `: > ${name}`, parked);
    const mark = host.mark;
    const { at } = appears(host.workspace, name);
    const begin = performance.now();
    void host.request('approval/answer', { approval, request: 1, decision: 'allow' });
    await host.next('turn_ended', mark, (event) => event.turn === turn);
    const began = (await at) - begin;
    if (n >= 0) times.push(began);
  }
  return times;
}

/** The same file, made by a shell that this process starts at once: what the system itself takes. */
async function bareStarts(): Promise<number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const name = `began-${String(n)}`;
    const { at } = appears(folder, name);
    const begin = performance.now();
    const child = spawn('/bin/sh', ['-c', `: > ${name}`], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    await once(child, 'close');
    times.push((await at) - begin);
  }
  rmSync(folder, { recursive: true });
  return times;
}

async function steers(server: WireServer, host: HostClient, parked: boolean): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < (parked ? TIMES : 20); n++) {
    const { session, turn } = await waiting(server, host, 'true', parked);
    const mark = host.mark;
    const next = server.arrival();
    const begin = performance.now();
    void host.request('message/send', { session, text: 'wait' });
    times.push((await next) - begin);
    await host.next('turn_ended', mark, (event) => event.turn === turn);
  }
  return times;
}

async function withHost<T>(
  holdMs: number,
  use: (server: WireServer, host: HostClient) => Promise<T>,
): Promise<T> {
  const server = await startWireServer();
  const host = await HostClient.start({ settings: localModel(server.url, { approvals: { holdMs } }) });
  try {
    return await use(server, host);
  } finally {
    await host.stop();
    await server.stop();
  }
}

export async function benchWaits(): Promise<BenchResult[]> {
  const parked = await withHost(0, async (server, host) => ({
    verdict: await verdicts(server, host, true),
    steer: await steers(server, host, true),
  }));
  const held = await withHost(60_000, async (server, host) => ({
    verdict: await verdicts(server, host, false),
    bare: await bareStarts(),
    steer: await steers(server, host, false),
  }));
  return [
    {
      name: 'verdict to the start of its command',
      metrics: {
        heldMs: round(median(held.verdict)),
        parkedMs: round(median(parked.verdict)),
        bareMs: round(median(held.bare)),
      },
    },
    {
      name: 'steer to the model request that contains it',
      metrics: { heldMs: round(median(held.steer)), parkedMs: round(median(parked.steer)) },
    },
    await benchThousand(),
  ];
}

const SESSIONS = 1_000;

/** A thousand sessions that wait for a verdict, in a host that is otherwise still. */
async function benchThousand(): Promise<BenchResult> {
  const still = await withHost(0, async (server, host) => {
    for (let n = 0; n < SESSIONS; n++) await waiting(server, host, `echo ${String(n)}`, true);
    const lists: number[] = [];
    for (let n = 0; n < 21; n++) {
      const begin = performance.now();
      await host.request('need/list', {});
      lists.push(performance.now() - begin);
    }
    const cpu = process.cpuUsage();
    await sleep(10_000);
    const spent = process.cpuUsage(cpu);
    return { needListMs: round(median(lists)), cpuMsIn10s: round((spent.user + spent.system) / 1000) };
  });
  return { name: '1,000 waiting sessions', metrics: { ...still, ...(await heapOfWaiting()) } };
}

/** What the engine itself holds for waiting sessions: its heap before and after, with nothing else kept. */
async function heapOfWaiting(): Promise<{ heapBytesEach: number; deadlines: number }> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rig = await new Rig().open();
  rig.settings = { ...rig.settings, holdMs: 0 };
  const make = async () => {
    const session = await rig.session('ask');
    await rig.send(session, 'go');
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
    await rig.quiet();
  };
  const used = () => {
    rig.forgetEvents();
    collect();
    return process.memoryUsage().heapUsed;
  };
  for (let n = 0; n < 20; n++) await make();
  const before = used();
  for (let n = 0; n < SESSIONS; n++) await make();
  const after = used();
  const deadlines = rig.engine.schedule.size;
  await rig.close();
  return { heapBytesEach: Math.round((after - before) / SESSIONS), deadlines };
}
