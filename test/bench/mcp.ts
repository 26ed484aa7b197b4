/**
 * What an MCP call costs: beside the same call by the SDK alone, a thousand of them through one server, and a
 * server's start until it is ready.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { systemClock } from '../../host/base/clock';
import { hostMark } from '../../host/adapters/processes/hostMark';
import { createProcesses } from '../../host/adapters/processes/processes';
import { createServers } from '../../host/adapters/mcp/servers';
import { looks } from '../../host/compose/looks';
import { CallId, SessionId, TurnId, type Settings } from '../../protocol';
import { StandIn } from '../support/mcpStandIn';
import { noSteps } from '../tools/support';
import { directWeb } from '../support/directWeb';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

const CALLS = 1_000;
const STARTS = 5;
const free = <T>(effect: () => T): T => effect();
const place = {
  session: SessionId.parse('s1'),
  turn: TurnId.parse('t1'),
  call: CallId.parse('c1'),
  folder: '/',
  roots: ['/'],
  hidden: [],
};

/** The adapter without an engine: what it adds to a call, commits left aside. */
async function adapter(standIn: StandIn) {
  const mark = await hostMark(`bench-${process.pid}-${performance.now().toFixed(0)}`);
  const processes = createProcesses({
    clock: systemClock,
    log: () => {},
    mark,
    secrets: () => ({ names: [], values: [] }),
  });
  const settings: Settings = { mcp: { servers: { fake: standIn.config() } } };
  const servers = createServers({
    clock: systemClock,
    log: () => {},
    env: process.env,
    secret: { get: () => Promise.resolve(undefined), set: () => Promise.resolve(), hide: () => {} },
    hostVersion: '0',
    cord: { pulled: false, launch: () => free, released: () => Promise.resolve() },
    settings: () => settings,
    folders: () => [],
    trusted: () => true,
    refusal: looks.refusal,
    secrets: () => ({ names: [], values: [] }),
    start: (request, launch) => processes.service(request, launch),
    web: directWeb(),
    recall: () => ({}),
    remember: () => Promise.resolve(),
    changed: () => {},
  });
  const close = async () => {
    await servers.dispose();
    await processes.dispose();
  };
  return { servers, close };
}

type Servers = Awaited<ReturnType<typeof adapter>>['servers'];

async function call(servers: Servers): Promise<void> {
  const prepared = await servers.tools.prepare('fake__echo', '{"text":"x"}', place);
  if ('error' in prepared) throw new Error(prepared.detail);
  const { failed } = await servers.tools.run(prepared, place, free, () => {}, noSteps).done;
  if (failed) throw new Error('The call failed.');
}

async function one(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const begin = performance.now();
    await work();
    taken.push(performance.now() - begin);
  }
  return taken;
}

export async function benchMcp(): Promise<readonly BenchResult[]> {
  const standIn = new StandIn();
  const starts: number[] = [];
  for (let n = 0; n < STARTS; n++) {
    const { servers, close } = await adapter(standIn);
    const begin = performance.now();
    servers.look();
    await servers.tools.ready?.(free, new AbortController().signal);
    starts.push(performance.now() - begin);
    await close();
  }
  const { servers, close } = await adapter(standIn);
  servers.look();
  await servers.tools.ready?.(free, new AbortController().signal);
  await one(100, () => call(servers));
  const ours = await one(CALLS, () => call(servers));
  const begin = performance.now();
  await Promise.all(Array.from({ length: CALLS }, () => call(servers)));
  const together = performance.now() - begin;
  await close();

  const { command, args, env } = standIn.config();
  const bare = new Client({ name: 'bare', version: '0' });
  await bare.connect(new StdioClientTransport({ command, args, env }));
  const bareCall = () => bare.callTool({ name: 'echo', arguments: { text: 'x' } });
  await one(100, bareCall);
  const theirs = await one(CALLS, bareCall);
  await bare.close();
  await standIn.stop();
  return [
    {
      name: 'mcp',
      metrics: {
        callMs: round(median(ours)),
        callBySdkAloneMs: round(median(theirs)),
        overheadMs: round(median(ours) - median(theirs)),
        thousandAtOnceMs: round(together),
        startToReadyMs: round(median(starts)),
      },
    },
  ];
}
