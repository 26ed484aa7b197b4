/**
 * The time of a tool round (last byte of an answer to the next request), next to a bare loop that keeps nothing,
 * in turns in the same run; and what a turn costs: commits, syncs, bytes, CPU, memory.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HostClient, localModel } from '../support/hostClient';
import type { BenchResult } from './commit';
import { startWireServer, type WireServer } from './wire';

const ROUNDS = 50;
const REPEATS = 6;

export const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
export const round = (value: number): number => Math.round(value * 100) / 100;

async function bare(server: WireServer, worker: Worker): Promise<number[]> {
  const done = new Promise<void>((resolve) => worker.once('message', () => resolve()));
  worker.postMessage('go');
  await Promise.all([done, server.finished()]);
  return [...server.gaps];
}

async function ours(server: WireServer, host: HostClient, session: string): Promise<number[]> {
  const mark = host.mark;
  await host.request('message/send', { session: session, text: 'go' });
  await server.finished();
  await host.next('turn_ended', mark);
  return [...server.gaps];
}

export async function benchRounds(): Promise<BenchResult[]> {
  const server = await startWireServer();
  const host = await HostClient.start({ settings: localModel(server.url) });
  const worker = new Worker(join(__dirname, 'bareLoop.mjs'), { workerData: { url: server.url, tools: [] } });
  try {
    const file = join(host.workspace, 'two.txt');
    writeFileSync(file, 'x'.repeat(2048));
    const cases = [
      { name: 'shell true', tool: 'shell', args: { command: 'true' } },
      { name: 'read of 2 KB', tool: 'read', args: { path: file } },
    ];
    const results: BenchResult[] = [];
    for (const { name, tool, args } of cases) {
      const theirs: number[] = [];
      const mine: number[] = [];
      for (let n = 0; n <= REPEATS; n++) {
        server.script(tool, args, ROUNDS);
        const bareTimes = await bare(server, worker);
        const { session } = await host.request('session/create', {
          folder: host.workspace,
          agent: { kind: 'model', model: 'local/m1' },
          mode: 'full',
        });
        server.script(tool, args, ROUNDS);
        const ourTimes = await ours(server, host, session.id);
        if (n === 0) continue; // The first of each is warm-up.
        theirs.push(...bareTimes);
        mine.push(...ourTimes);
      }
      results.push({
        name: `tool round, ${name}`,
        metrics: {
          bareMs: round(median(theirs)),
          oursMs: round(median(mine)),
          ratio: round(median(mine) / median(theirs)),
          rounds: mine.length,
        },
      });
    }
    results.push(await benchTurn(server, host));
    return results;
  } finally {
    await worker.terminate();
    await host.stop();
    await server.stop();
  }
}

/** A turn of 100 calls: what it costs besides time. */
async function benchTurn(server: WireServer, host: HostClient): Promise<BenchResult> {
  const calls = 100;
  const { session } = await host.request('session/create', {
    folder: host.workspace,
    agent: { kind: 'model', model: 'local/m1' },
    mode: 'full',
  });
  const before = await host.request('store/status', {});
  const cpu = process.cpuUsage();
  const start = performance.now();
  server.script('shell', { command: 'true' }, calls);
  await ours(server, host, session.id);
  const wall = performance.now() - start;
  const spent = process.cpuUsage(cpu);
  const after = await host.request('store/status', {});
  return {
    name: 'turn of 100 calls',
    metrics: {
      wallMs: round(wall),
      cpuMs: round((spent.user + spent.system) / 1000),
      commitsPerRound: round((after.commits - before.commits) / (calls + 1)),
      syncsPerRound: round((after.syncs - before.syncs) / (calls + 1)),
      firstRequestBytes: server.bytes[0] ?? 0,
      rssMb: round(process.memoryUsage().rss / 1024 / 1024),
    },
  };
}
