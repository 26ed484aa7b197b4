/** A session of 5,000 messages in a real store: what the chat asks the host for when it opens, and when it scrolls. */
import { HostClient, localModel } from '../support/hostClient';
import { startModelServer } from '../support/modelServer';
import type { BenchResult } from './commit';
import { median, round } from './rounds';

/** Two messages a turn: the person's and the agent's. */
const TURNS = 2_500;
const TIMES = 21;
const ANSWER = 'the cookie is set without an attribute so the browser of the test drops it. '.repeat(8);

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
    const long = await host.request('session/import', {
      text: JSON.stringify({ ...one, turns }),
      folder: host.workspace,
    });
    const read = async (before?: string) => {
      const begin = performance.now();
      const page = await host.request('transcript/read', {
        session: long.session.id,
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
    ];
  } finally {
    await host.stop();
    await server.stop();
  }
}
