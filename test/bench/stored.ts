/** A session of 5,000 messages in a real store: what the chat asks the host for when it opens, and when it scrolls. */
import { HostClient, localModel } from '../support/hostClient';
import type { SessionId } from '../../protocol';
import { StandIn } from '../support/mcpStandIn';
import { startModelServer, type ModelServer } from '../support/modelServer';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

/** Turns of the long session that is imported, forked and deleted, and the calls of each: 50,000 events in all. */
const LONG_TURNS = 2_500;
const LONG_CALLS = 6;

/** Two messages a turn: the person's and the agent's. */
const TURNS = 2_500;
const TIMES = 21;
const ANSWER = 'the cookie is set without an attribute so the browser of the test drops it. '.repeat(8);

/** How long another client's request waits at worst while something long is done, ms. */
async function worstWait<T>(
  host: HostClient,
  run: () => Promise<T>,
): Promise<{ readonly worstMs: number; readonly tookMs: number; readonly value: T }> {
  let isOver = false;
  let worstMs = 0;
  const begin = performance.now();
  const running = run().finally(() => (isOver = true));
  while (!isOver) {
    const asked = performance.now();
    await host.request('session/list', { limit: 1 });
    worstMs = Math.max(worstMs, performance.now() - asked);
  }
  return { value: await running, worstMs: round(worstMs), tookMs: round(performance.now() - begin) };
}

/** Turns whose call gives a large result, and its bytes: it is kept whole beside the database. */
const LARGE_TURNS = 8;
const LARGE_BYTES = 8 * 1024 * 1024;

/** Large results are kept, while another request is made over and over. */
async function large(): Promise<BenchResult> {
  const server = await startModelServer();
  const standIn = new StandIn();
  const settings = localModel(server.url, {
    mcp: { servers: { fake: standIn.config() } },
    approvals: { mode: 'full' },
  });
  const host = await HostClient.start({ settings });
  try {
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    const turn = async (bytes: number) => {
      const call = { tool: 'fake__huge', args: { bytes }, id: 'c1' };
      server.script([{ calls: [call] }, { text: 'read' }]);
      const mark = host.mark;
      await host.request('message/send', { session: session.id, text: 'read it' });
      await host.next('turn_ended', mark);
    };
    await turn(1);
    const { worstMs, tookMs } = await worstWait(host, async () => {
      for (let n = 0; n < LARGE_TURNS; n++) await turn(LARGE_BYTES + n);
    });
    return {
      name: `${String(LARGE_TURNS)} results of ${String(LARGE_BYTES / 1024 / 1024)} MiB are kept`,
      metrics: { worstWaitMs: worstMs, turnMs: round(tookMs / LARGE_TURNS) },
    };
  } finally {
    await host.stop();
    await server.stop();
    await standIn.stop();
  }
}

/** A session of 50,000 events is imported, forked and deleted, while another request is made over and over. */
async function long(host: HostClient, server: ModelServer, session: SessionId): Promise<BenchResult> {
  const calls = Array.from({ length: LONG_CALLS }, (_, n) => ({
    tool: 'list',
    args: { path: '.' },
    id: `c${String(n)}`,
  }));
  server.script([{ text: ANSWER, calls }, { text: ANSWER }]);
  const mark = host.mark;
  await host.request('message/send', { session, text: 'what is here?' });
  await host.next('turn_ended', mark);
  const { text } = await host.request('session/export', { session, format: 'json' });
  const one: { turns: { told: unknown[] }[] } = JSON.parse(text);
  const last = one.turns.at(-1);
  const file = JSON.stringify({ ...one, turns: Array.from({ length: LONG_TURNS }, () => last) });
  const imported = await worstWait(host, () =>
    host.request('session/import', { text: file, folder: host.workspace }),
  );
  const { id } = imported.value.session;
  const forked = await worstWait(host, () => host.request('session/fork', { session: id }));
  const deleted = await worstWait(host, () => host.request('session/delete', { session: id }));
  return {
    name: `a session of ${String(LONG_TURNS * (last?.told.length ?? 0))} events, ${String(round(file.length / 1e6))} MB`,
    metrics: {
      importWorstWaitMs: imported.worstMs,
      importMs: imported.tookMs,
      forkWorstWaitMs: forked.worstMs,
      forkMs: forked.tookMs,
      deleteWorstWaitMs: deleted.worstMs,
      deleteMs: deleted.tookMs,
    },
  };
}

export async function benchStored(): Promise<BenchResult[]> {
  const server = await startModelServer();
  const host = await HostClient.start({ settings: localModel(server.url) });
  try {
    const { session } = await host.request('session/create', {
      folder: host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
    });
    server.script([{ text: ANSWER }]);
    const mark = host.mark;
    await host.request('message/send', { session: session.id, text: 'why does the test fail?' });
    await host.next('turn_ended', mark);
    const { text } = await host.request('session/export', { session: session.id, format: 'json' });
    const one: { turns: unknown[] } = JSON.parse(text);
    const turns = Array.from({ length: TURNS }, () => one.turns[0]);
    const read5000 = await host.request('session/import', {
      text: JSON.stringify({ ...one, turns }),
      folder: host.workspace,
    });
    const read = async (before?: string) => {
      const begin = performance.now();
      const page = await host.request('transcript/read', {
        session: read5000.session.id,
        ...(before === undefined ? {} : { before }),
      });
      return { ms: performance.now() - begin, page };
    };
    const newest: number[] = [];
    for (let n = 0; n < TIMES; n++) newest.push((await read()).ms);
    const older: number[] = [];
    let next = (await read()).page.next;
    while (next !== undefined) {
      const one = await read(next);
      older.push(one.ms);
      next = one.page.next;
    }
    return [
      {
        name: `a session of ${TURNS * 2} messages in a real store`,
        metrics: {
          newestPageMs: round(median(newest)),
          olderPageMs: round(median(older)),
          worstPageMs: round(Math.max(...newest, ...older)),
          pages: older.length + 1,
        },
      },
      await long(host, server, session.id),
      await large(),
    ];
  } finally {
    await host.stop();
    await server.stop();
  }
}
