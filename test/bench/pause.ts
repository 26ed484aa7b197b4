/**
 * What a pull of the cord costs: from the request to its reply with 1, 10 and 100 running commands and with 10
 * scripts, what is alive of the commands 500 ms after it, and how long those take that obey no signal but the last.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventOf } from '../../protocol';
import { HostClient, localModel } from '../support/hostClient';
import { startModelServer, type ModelServer } from '../support/modelServer';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

const TIMES = 9;
/** The goal is that nothing is alive by then, ms after the reply. */
const GONE_MS = 500;
/** Two steps of the ladder and some air, ms. */
const LADDER_MS = 10_000;
/** Sleeping as long as no other process does marks the processes of one pull. */
let mark = 100_000;

interface Pull {
  readonly replyMs: number;
  readonly alive: number;
  readonly goneMs: number;
}

/** Runs so many commands in the background, pulls, and looks what is left. */
async function pull(server: ModelServer, host: HostClient, count: number, stubborn: boolean): Promise<Pull> {
  const seconds = String(++mark);
  const command = stubborn
    ? `trap '' HUP INT TERM; echo up; while :; do sleep ${seconds}; done`
    : `echo up; exec sleep ${seconds}`;
  const { session } = await host.request('session/create', {
    folder: host.workspace,
    agent: { kind: 'model', model: 'local/m1' },
    mode: 'full',
  });
  const calls = Array.from({ length: count }, () => ({ tool: 'shell', args: { command, background: true } }));
  server.script([{ calls }, { text: 'All are running.' }]);
  const from = host.mark;
  await host.request('message/send', { session: session.id, text: 'go' });
  const up = new Set<string>();
  await host.next('turn_ended', from);
  await host.until(() => {
    for (const event of host.events.slice(from)) if (isUp(event)) up.add(event.data.call_id);
    return up.size === count ? true : undefined;
  });
  while (alive(seconds) < count) await sleep(5);

  const begin = performance.now();
  await host.request('host/pause', { by: 'bench' });
  const replyMs = performance.now() - begin;
  let goneMs = 0;
  if (stubborn) {
    while (alive(seconds) > 0 && performance.now() - begin < LADDER_MS) await sleep(20);
    goneMs = performance.now() - begin;
  } else await sleep(GONE_MS);
  const left = alive(seconds);
  server.reply(() => ({ text: 'I see.' }));
  await host.next('host_quiet', from);
  const resumed = host.mark;
  await host.request('host/resume', { by: 'bench' });
  await host.next('turn_ended', resumed);
  return { replyMs, alive: left, goneMs };
}

/** So many scripts that run without end, each in a session of its own. */
async function pullScripts(
  server: ModelServer,
  host: HostClient,
  count: number,
): Promise<{ replyMs: number; stopping: number }> {
  const from = host.mark;
  const up = new Set<string>();
  for (let n = 0; n < count; n++) {
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      mode: 'full',
    });
    const code = `text('up'); for (;;) await new Promise((next) => setTimeout(next, 1));`;
    server.script([{ calls: [{ tool: 'exec', args: { code } }] }]);
    await host.request('message/send', { session: session.id, text: 'go' });
    await host.until(() => {
      for (const event of host.events.slice(from)) if (isUp(event)) up.add(event.data.call_id);
      return up.size === n + 1 ? true : undefined;
    });
  }
  const begin = performance.now();
  const reply = await host.request('host/pause', { by: 'bench' });
  const replyMs = performance.now() - begin;
  server.reply(() => ({ text: 'I see.' }));
  const resumed = host.mark;
  await host.request('host/resume', { by: 'bench' });
  const ended = new Set<string>();
  await host.until(() => {
    for (const event of host.events.slice(resumed))
      if (event.type === 'turn_ended' && event.turn !== undefined) ended.add(event.turn);
    return ended.size === count ? true : undefined;
  });
  return { replyMs, stopping: reply.stopping.length };
}

const isUp = (event: { readonly type: string }): event is EventOf<'tool_progress'> =>
  event.type === 'tool_progress';

/** Processes that sleep so many seconds. */
function alive(seconds: string): number {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(seconds)).length;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export async function benchPause(): Promise<BenchResult[]> {
  const server = await startModelServer({ unchecked: true });
  const host = await HostClient.start({ settings: localModel(server.url) });
  try {
    const results: BenchResult[] = [];
    for (const count of [1, 10, 100]) {
      const pulls: Pull[] = [];
      for (let n = 0; n < TIMES; n++) pulls.push(await pull(server, host, count, false));
      results.push({
        name: `pull with ${String(count)} commands`,
        metrics: {
          replyMs: round(median(pulls.map((one) => one.replyMs))),
          worstReplyMs: round(Math.max(...pulls.map((one) => one.replyMs))),
          aliveAfter500Ms: pulls.reduce((sum, one) => sum + one.alive, 0),
        },
      });
    }
    const scripts: { replyMs: number; stopping: number }[] = [];
    for (let n = 0; n < TIMES; n++) scripts.push(await pullScripts(server, host, 10));
    results.push({
      name: 'pull with 10 scripts',
      metrics: {
        replyMs: round(median(scripts.map((one) => one.replyMs))),
        worstReplyMs: round(Math.max(...scripts.map((one) => one.replyMs))),
        stopping: scripts.reduce((sum, one) => sum + one.stopping, 0),
      },
    });
    const trapped = await pull(server, host, 10, true);
    results.push({
      name: 'pull with 10 commands that trap everything',
      metrics: {
        replyMs: round(trapped.replyMs),
        goneMs: round(trapped.goneMs),
        aliveAfterLadder: trapped.alive,
      },
    });
    return results;
  } finally {
    await host.stop();
    await server.stop();
  }
}
