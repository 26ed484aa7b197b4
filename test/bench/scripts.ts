/**
 * What scripts cost: a halt from the word to the end, a start in a warm thread, a nested call by itself and through
 * the whole host, and what a script that computes without end takes from another session.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScripts, type Scripts } from '../../host/adapters/scripts/scripts';
import { systemClock } from '../../host/base/clock';
import type { Launch } from '../../host/base/launch';
import type { Run, Steps } from '../../host/engine/ports';
import { noSteps } from '../tools/support';
import { HostClient, localModel } from '../support/hostClient';
import type { BenchResult } from './commit';
import { median, round } from './rounds';
import { startWireServer, type WireServer } from './wire';

const TIMES = 20;
const CALLS = 1_000;
const ROUNDS = 60;
const launch: Launch = (effect) => effect();

/** Steps that answer at once: what is left is the way there and back. */
const steps: Steps = {
  ...noSteps,
  tools: () => [{ name: 'read', description: 'read', schema: {} }],
  call: (_tool, _args, began) => {
    began?.();
    return Promise.resolve({ output: { text: 'x' }, failed: false });
  },
};

/** Starts a script, and resolves once it has printed. */
function begun(scripts: Scripts, code: string): Promise<Run> {
  return new Promise((resolve) => {
    const run = scripts.run({ code, timeoutMs: undefined, stored: {} }, launch, () => resolve(run), steps);
  });
}

async function haltTimes(scripts: Scripts, rest: string): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n <= TIMES; n++) {
    const run = await begun(scripts, `text('begun'); await new Promise((go) => setTimeout(go, 5)); ${rest}`);
    await new Promise((go) => setTimeout(go, 30));
    const start = performance.now();
    await run.stop('stopped');
    if (n > 0) times.push(performance.now() - start);
  }
  return times;
}

const timeOf = async (scripts: Scripts, code: string): Promise<number> => {
  const start = performance.now();
  await scripts.run({ code, timeoutMs: undefined, stored: {} }, launch, () => {}, steps).done;
  return performance.now() - start;
};

async function alone(): Promise<BenchResult[]> {
  const scripts = createScripts({
    assets: join(__dirname, '../../dist'),
    clock: systemClock,
    secrets: () => ({ names: [], values: [] }),
  });
  try {
    const cold = await timeOf(scripts, 'return 1');
    await timeOf(scripts, 'return 1');
    const warm: number[] = [];
    for (let n = 0; n < TIMES; n++) warm.push(await timeOf(scripts, 'return 1'));
    const inLine = await timeOf(scripts, `for (let n = 0; n < ${CALLS}; n++) await tools.read({});`);
    const atOnce = await timeOf(
      scripts,
      `await Promise.all(Array.from({ length: ${CALLS} }, () => tools.read({})));`,
    );
    const loops = await haltTimes(scripts, 'for (;;) {}');
    const catching = await haltTimes(
      scripts,
      'for (;;) try { await (async () => { for (;;) {} })(); } catch {}',
    );
    const waits = await haltTimes(scripts, 'await new Promise(() => {});');
    const natives = await haltTimes(scripts, '[].indexOf.call({ length: 2 ** 53 - 1 }, 1);');
    return [
      { name: 'script, start to end', metrics: { coldMs: round(cold), warmMs: round(median(warm)) } },
      {
        name: 'nested call, thread to thread and back',
        metrics: { oneByOneMs: round(inLine / CALLS), atOnceMs: round(atOnce / CALLS) },
      },
      {
        name: 'halt, from the word to the end, median and most',
        metrics: {
          loopMs: round(median(loops)),
          loopMostMs: round(Math.max(...loops)),
          catchingMs: round(median(catching)),
          waitingMs: round(median(waits)),
          nativeMs: round(median(natives)),
          nativeMostMs: round(Math.max(...natives)),
        },
      },
    ];
  } finally {
    await scripts.dispose();
  }
}

const newSession = async (host: HostClient) =>
  (
    await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    })
  ).session.id;

async function turn(server: WireServer, host: HostClient, tool: string, args: object, rounds: number) {
  const session = await newSession(host);
  server.script(tool, args, rounds);
  const mark = host.mark;
  const start = performance.now();
  await host.request('message/send', { session, text: 'go' });
  await host.next('turn_ended', mark, (event) => event.session === session);
  return { ms: performance.now() - start, gaps: [...server.gaps] };
}

async function inHost(): Promise<BenchResult[]> {
  const server = await startWireServer();
  const host = await HostClient.start({ settings: localModel(server.url) });
  try {
    const file = join(host.workspace, 'a.txt');
    writeFileSync(file, 'x'.repeat(2048));
    const read = { path: file };
    await turn(server, host, 'exec', { code: 'return 1' }, 3);
    const empty = (await turn(server, host, 'exec', { code: 'return 1' }, 1)).ms;
    const before = await host.request('store/status', {});
    const many = await turn(
      server,
      host,
      'exec',
      {
        code: `await Promise.all(Array.from({ length: ${CALLS} }, () => tools.read(${JSON.stringify(read)})));`,
      },
      1,
    );
    const after = await host.request('store/status', {});
    const quiet = (await turn(server, host, 'read', read, ROUNDS)).gaps;
    const looping = await newSession(host);
    server.script('exec', { code: `text('begun'); await null; for (;;) {}` }, 1);
    const mark = host.mark;
    await host.request('message/send', { session: looping, text: 'go' });
    await host.next('tool_started', mark);
    const beside = (await turn(server, host, 'read', read, ROUNDS)).gaps;
    return [
      {
        name: `${CALLS} nested reads by Promise.all, whole host`,
        metrics: {
          ms: round(many.ms - empty),
          perCallMs: round((many.ms - empty) / CALLS),
          commitsPerCall: round((after.commits - before.commits) / CALLS),
          syncsPerCall: round((after.syncs - before.syncs) / CALLS),
        },
      },
      {
        name: 'tool round of a session beside a script that computes without end',
        metrics: {
          quietMs: round(median(quiet)),
          besideMs: round(median(beside)),
          ratio: round(median(beside) / median(quiet)),
        },
      },
    ];
  } finally {
    await host.stop();
    await server.stop();
  }
}

export async function benchScripts(): Promise<BenchResult[]> {
  return [...(await alone()), ...(await inHost())];
}
