/**
 * What a command and a file tool cost: `node --import tsx test/bench/processes.ts`. Prints milliseconds.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { systemClock } from '../../host/base/clock';
import { hostMark } from '../../host/adapters/processes/hostMark';
import { createProcesses } from '../../host/adapters/processes/processes';
import { createTools } from '../../host/adapters/tools/toolPort';
import { noSteps, scriptTools, terminalsOn } from '../tools/support';
import type { Launch } from '../../host/base/launch';
import { CallId, SessionId, TurnId } from '../../protocol';

const free: Launch = (effect) => effect();
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));

async function main(): Promise<void> {
  const secrets = () => ({ names: ['A_KEY'], values: ['sk-some-secret-value', 'another-secret'] });
  const processes = createProcesses({
    clock: systemClock,
    log: () => {},
    mark: await hostMark('bench'),
    secrets,
  });
  const terminals = terminalsOn(processes);
  const tools = createTools({
    processes,
    terminals,
    ripgrep: rgPath,
    unsaved: { has: () => false, paths: () => [] },
    secrets,
    ...scriptTools,
    readKept: () => undefined,
    answered: { specs: () => [], originOf: () => undefined, prepare: () => undefined },
  });
  const place = {
    session: SessionId.parse('s'),
    turn: TurnId.parse('t'),
    call: CallId.parse('c'),
    folder,
    roots: [folder],
    hidden: [join(folder, 'store')],
  };
  const call = async (tool: string, args: unknown): Promise<void> => {
    const prepared = await tools.prepare(tool, JSON.stringify(args), place);
    if ('error' in prepared) throw new Error(prepared.detail);
    const { failed, output } = await tools.run(prepared, place, free, () => {}, noSteps).done;
    if (failed) throw new Error(JSON.stringify(output));
  };
  const ours = (): Promise<unknown> =>
    processes.command({ command: 'true', folder, timeoutMs: undefined }, free, () => {}).done;
  await measure('true, bare spawn of /bin/sh', bare, 'true, as a command', ours);
  await measure('true, bare again', bare, 'true, as the tool shell', () =>
    call('shell', { command: 'true' }),
  );
  writeFileSync(join(folder, 'a.txt'), 'one line of text\n'.repeat(1_000));
  let turn = 0;
  for (const [name, run] of [
    ['read 17 KB', () => call('read', { path: 'a.txt' })],
    ['list', () => call('list', {})],
    ['write 17 KB', () => call('write', { path: 'b.txt', text: `${turn++}\n${'text\n'.repeat(3_400)}` })],
    ['search', () => call('search', { pattern: 'no such text' })],
    ['stop of sh and its sleep', stop],
  ] as const) {
    console.log(name.padEnd(32), await median(run, 100));
  }
  const before = performance.now();
  await processes.command(
    { command: 'head -c 1000000000 /dev/zero', folder, timeoutMs: undefined },
    free,
    () => {},
  ).done;
  console.log('1 GB of output, MB/s'.padEnd(32), (1e6 / (performance.now() - before)).toFixed(0));
  await processes.dispose();

  async function stop(): Promise<void> {
    let up: () => void = () => {};
    const ready = new Promise<void>((done) => (up = done));
    const run = processes.command(
      { command: 'echo up; sleep 100 & wait', folder, timeoutMs: undefined },
      free,
      () => up(),
    );
    await ready;
    const from = performance.now();
    await run.stop('stopped');
    stops.push(performance.now() - from);
  }
}

const stops: number[] = [];

async function bare(): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'true'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', () => {});
  child.stderr.on('data', () => {});
  await once(child, 'close');
}

/** Turn by turn, so that both see the same machine. */
async function measure(
  one: string,
  runOne: () => Promise<unknown>,
  two: string,
  runTwo: () => Promise<unknown>,
): Promise<void> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 500; round += 1) {
    for (const [index, run] of [runOne, runTwo].entries()) {
      const from = performance.now();
      await run();
      times[index === 0 ? 0 : 1].push(performance.now() - from);
    }
  }
  const [first, second] = [middle(times[0]), middle(times[1])];
  console.log(one.padEnd(32), first.toFixed(3));
  console.log(two.padEnd(32), second.toFixed(3), 'more:', (second - first).toFixed(3));
}

async function median(run: () => Promise<unknown>, rounds: number): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    await run();
    times.push(performance.now() - from);
  }
  const shown = stops.length > 0 ? stops.splice(0) : times;
  return middle(shown).toFixed(3);
}

function middle(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

main()
  .finally(() => rmSync(folder, { recursive: true, force: true }))
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
