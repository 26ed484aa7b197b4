/**
 * What terminals cost: `npm run bench terminals`, or `node --import tsx test/bench/terminals.ts` for this alone.
 * Times in milliseconds unless the name says otherwise.
 */
import { readFileSync } from 'node:fs';
import { spawn } from 'node-pty';
import { TERMINAL_KEPT_BYTES } from '../../protocol';
import { HostClient } from '../support/hostClient';
import { Desk, free } from '../terminals/desk';
import { ptyHosts } from '../terminals/support';
import type { BenchResult } from './commit';

const ECHOES = 400;
const SPEED_BYTES = 30_000_000;
const COMMAND_BYTES = 1_000_000_000;
const STARTS = 30;
const STOPS = 10;
const RUNS = 5;
/** Pieces of output between two looks at the memory. */
const LOOK_EVERY = 100;

export async function benchTerminals(): Promise<readonly BenchResult[]> {
  const unused = await whenUnused();
  const desk = await Desk.open();
  // Terminals do not keep a thread alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    return [
      unused,
      await start(desk),
      await echo(desk),
      await speed(desk),
      await stop(desk),
      await command(desk),
    ];
  } finally {
    await desk.close();
    clearInterval(alive);
  }
}

/** Nothing is started and nothing is loaded in a host without a terminal. */
async function whenUnused(): Promise<BenchResult> {
  const before = ptyHosts().length;
  const host = await HostClient.start();
  const processes = ptyHosts().length - before;
  await host.stop();
  return { name: 'terminals unused', metrics: { processes } };
}

async function start(desk: Desk): Promise<BenchResult> {
  const first = await timed(() => opened(desk));
  const times = await repeated(STARTS, () => opened(desk));
  return { name: 'terminal start', metrics: { first, ...spread(times) } };
}

/** From the request to the running program. */
async function opened(desk: Desk): Promise<void> {
  const started = desk.start('exec cat');
  await started.terminal.started;
  stops.push(() => started.run.stop('stopped'));
}

const stops: (() => Promise<unknown>)[] = [];

/** From a key to its echo, over the PTY host and back. */
async function echo(desk: Desk): Promise<BenchResult> {
  await Promise.all(stops.splice(0).map((end) => end()));
  const started = desk.start('stty -icanon -echo; echo ready; exec cat');
  await started.says('ready');
  const times: number[] = [];
  for (let n = 0; n < ECHOES; n += 1) {
    const key = `<${n}>`;
    const from = performance.now();
    started.type(key);
    await started.says(key);
    times.push(performance.now() - from);
  }
  await started.run.stop('stopped');
  return { name: 'terminal echo', metrics: spread(times) };
}

/** Short lines are what a terminal is slowest with; each new line becomes two bytes. */
const FLOOD = `yes | head -c ${(SPEED_BYTES * 2) / 3}`;

/** The same output through a terminal of the host and through a bare PTY in this process, in turns. */
async function speed(desk: Desk): Promise<BenchResult> {
  const bare = (): Promise<number> =>
    new Promise((resolve) => {
      let bytes = 0;
      const pty = spawn('/bin/sh', ['-c', FLOOD], { cwd: '/', cols: 120, rows: 30, encoding: null });
      // With no encoding it gives the bytes as they come, whatever its types say.
      pty.onData((data) => {
        bytes += data.length;
        if (bytes === SPEED_BYTES) resolve(bytes);
      });
      // Without anybody who holds the other side open, the last bytes may be lost.
      pty.onExit(() => resolve(SPEED_BYTES));
    });
  const ours = async (): Promise<number> => {
    const run = desk.terminals.terminal(
      { command: FLOOD, folder: desk.folder, cols: 120, rows: 30 },
      free,
      () => {},
    );
    const { output } = await run.done;
    return Number(output['omitted_bytes']) + TERMINAL_KEPT_BYTES;
  };
  const [slow, fast]: [number[], number[]] = [[], []];
  for (let n = 0; n < RUNS; n += 1) {
    for (const [times, run] of [
      [slow, bare],
      [fast, ours],
    ] as const) {
      const from = performance.now();
      const bytes = await run();
      if (bytes !== SPEED_BYTES) throw new Error(`${bytes} of ${SPEED_BYTES} bytes came`);
      times.push(SPEED_BYTES / 1e3 / (performance.now() - from));
    }
  }
  const [bareSpeed, ownSpeed] = [median(slow), median(fast)];
  return {
    name: 'terminal speed, MB/s',
    metrics: { bare: bareSpeed, terminal: ownSpeed, share: ownSpeed / bareSpeed },
  };
}

async function stop(desk: Desk): Promise<BenchResult> {
  const times: number[] = [];
  for (let n = 0; n < STOPS; n += 1) {
    const started = desk.start('for i in $(seq 49); do sleep 1000 & done; echo up; wait');
    await started.says('up');
    const from = performance.now();
    const report = await started.run.stop('stopped');
    times.push(performance.now() - from);
    if (!report.stopped) throw new Error('It was not stopped.');
  }
  return { name: 'stop of a tree of 50', metrics: spread(times) };
}

/** 1 GB through a command in the background: what is kept is bounded, and the rest is counted. */
async function command(desk: Desk): Promise<BenchResult> {
  const before = resident();
  let most = before;
  let pieces = 0;
  const from = performance.now();
  const run = desk.processes.command(
    { command: `head -c ${COMMAND_BYTES} /dev/zero`, folder: desk.folder, timeoutMs: undefined },
    free,
    () => {
      pieces += 1;
      if (pieces % LOOK_EVERY === 0) most = Math.max(most, resident());
    },
  );
  run.detach();
  const { output } = await run.done;
  const ms = performance.now() - from;
  const omitted = output['omitted_bytes'] as { stdout: number };
  const shown = Buffer.byteLength(String(output['stdout']));
  return {
    name: '1 GB of a background command',
    metrics: {
      ms,
      megabytesPerSecond: COMMAND_BYTES / 1e3 / ms,
      memoryMore: most - before,
      omitted: omitted.stdout,
      shown,
    },
  };
}

/** MB of this process. */
const resident = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

async function repeated(count: number, run: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) times.push(await timed(run));
  return times;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

function spread(values: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

if (require.main === module)
  benchTerminals().then(
    (results) => console.log(JSON.stringify(results, null, 2)),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
