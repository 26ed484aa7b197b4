/**
 * What an outside agent waits for a person's answer beyond the person (C5, C6), and what a quiet relay costs (R8).
 * Metrics are milliseconds; `wakesPerSecond` counts the looks at the folder in ten quiet seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveRelay } from '../../host/adapters/clientTools/relay';
import { systemClock } from '../../host/base/clock';
import type { AgentReply } from '../../host/engine/ports';
import { answer, channels, HandCord, HandTools, SHIM, ShimProcess } from '../clientTools/support';
import { Rig } from '../engine/rig';
import type { BenchResult } from './commit';

const ROUNDS = 100;
const QUIET_S = 10;

const median = (times: readonly number[]): number =>
  Math.round(([...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0) * 100) / 100;

/** From the person's answer, through its commit, to the agent's own process having read it. */
async function held(): Promise<number> {
  const rig = await new Rig().open();
  try {
    await rig.send(await rig.session('ask', { kind: 'harness', harness: 'rig' }), 'go');
    await rig.quiet();
    const channel = await channels().shim(rig.agent.tools, new HandCord().launch);
    const shim = new ShimProcess(channel);
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const called = shim.call('ask', { question: String(n) }, { callId: `c${String(n)}` });
      for (;;) {
        await rig.quiet();
        const need = rig.snapshot.needs[0];
        if (need?.kind !== 'question') continue;
        const start = performance.now();
        await rig.engine.answer(need.question.id, { text: 'yes' }, 'bench');
        await called;
        times.push(performance.now() - start);
        break;
      }
    }
    await shim.end();
    await channel.close();
    return median(times);
  } finally {
    await rig.close();
  }
}

/** From the agent's call to its answer, with nobody to wait for. */
async function roundTrip(dir: string): Promise<number> {
  const tools = new HandTools();
  const place = { dir, shim: SHIM, node: process.execPath };
  const channel = await channels().relay(tools, place, new HandCord().launch);
  const shim = new ShimProcess(channel);
  await shim.request('ping');
  const reply: AgentReply = answer('yes');
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const start = performance.now();
    const called = shim.call('ask', { question: 'q' });
    (await tools.nth(n)).reply(reply);
    await called;
    times.push(performance.now() - start);
  }
  await shim.end();
  await channel.close();
  return median(times);
}

async function idleWakes(dir: string): Promise<number> {
  const relay = await serveRelay({
    tools: new HandTools(),
    dir,
    nonce: 'n',
    launch: new HandCord().launch,
    clock: systemClock,
    log: () => undefined,
    unique: () => 'u',
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const before = relay.wakes;
  await new Promise((resolve) => setTimeout(resolve, QUIET_S * 1_000));
  const wakes = relay.wakes - before;
  await relay.close();
  return wakes / QUIET_S;
}

export async function benchClientTools(): Promise<readonly BenchResult[]> {
  const dir = mkdtempSync(join(tmpdir(), 'belay-bench-relay-'));
  try {
    return [
      {
        name: 'client tools',
        metrics: {
          answerToNextStepMs: await held(),
          relayRoundTripMs: await roundTrip(dir),
          wakesPerSecond: await idleWakes(dir),
        },
      },
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
