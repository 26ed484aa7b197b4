/**
 * Wall time, and processor time of this process: server and client together, so that differences are the client's.
 * What a tool round costs beyond a bare `fetch` of the same stream. Run it alone on a quiet machine:
 * `node --import tsx test/models/measure.ts`
 */
import { startModelServer, type ModelServer } from '../support/modelServer';
import type { ContextItem } from '../../protocol';
import { assistant, callOf, modelsFor, planned, readTool, result, run, user } from './bench';

const ROUNDS = 400;
const WARM = 60;

/** A conversation of so many tool rounds with results of 4 KiB. */
function conversation(rounds: number): ContextItem[] {
  const items: ContextItem[] = [user('Mend the test.')];
  for (let n = 0; n < rounds; n += 1) {
    items.push(assistant('I look.', [planned(`call_${n}`, 'read', { path: `src/file${n}.ts` })]));
    items.push(result(`call_${n}`, { text: 'const a = "b";\n'.repeat(270) }));
  }
  return items;
}

async function bare(server: ModelServer, items: readonly ContextItem[]): Promise<number> {
  const messages = items.map((item) =>
    item.kind === 'user'
      ? { role: 'user', content: item.text }
      : item.kind === 'assistant'
        ? {
            role: 'assistant',
            content: item.text,
            tool_calls: item.calls.map((call) => ({
              id: call.callId,
              type: 'function',
              function: { name: call.tool, arguments: call.args },
            })),
          }
        : { role: 'tool', tool_call_id: item.callId, content: item.output },
  );
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm1', stream: true, messages }),
  });
  let length = 0;
  let open = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as AsyncIterable<Uint8Array>) {
    const lines = (open + decoder.decode(bytes, { stream: true })).split('\n');
    open = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const chunk = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
      length += chunk.choices[0]?.delta.content?.length ?? 0;
    }
  }
  return length;
}

interface Times {
  readonly wall: readonly number[];
  /** Milliseconds of processor time a round. */
  readonly cpu: number;
}

async function time(round: () => Promise<unknown>): Promise<Times> {
  for (let n = 0; n < WARM; n += 1) await round();
  const wall: number[] = [];
  const before = process.cpuUsage();
  for (let n = 0; n < ROUNDS; n += 1) {
    const start = performance.now();
    await round();
    wall.push(performance.now() - start);
  }
  const { user: used, system } = process.cpuUsage(before);
  return { wall: wall.sort((a, b) => a - b), cpu: (used + system) / 1000 / ROUNDS };
}

const at = ({ wall }: Times, share: number): string =>
  (wall[Math.floor(wall.length * share)] ?? NaN).toFixed(2);

async function main(): Promise<void> {
  const server = await startModelServer({ unchecked: true });
  server.reply(() => ({
    text: 'word '.repeat(40),
    pieces: 40,
    calls: [{ tool: 'read', args: { path: 'x' } }],
  }));
  for (const rounds of [1, 25, 100]) {
    const items = conversation(rounds);
    const call = callOf({ items, tools: [readTool] });
    const ports = {
      chat: modelsFor(server),
      responses: modelsFor(server, 'openai'),
      anthropic: modelsFor(server, 'anthropic'),
    };
    const lines: [string, Times][] = [['bare fetch', await time(() => bare(server, items))]];
    for (const [name, port] of Object.entries(ports)) lines.push([name, await time(() => run(port, call))]);
    lines.push(['bare fetch again', await time(() => bare(server, items))]);
    const bytes = JSON.stringify(items).length;
    console.log(`\n${rounds} rounds before, ${(bytes / 1024).toFixed(0)} KiB, 43 events back; ms a round:`);
    for (const [name, times] of lines) {
      console.log(
        `  ${name.padEnd(17)} p50 ${at(times, 0.5)}  p95 ${at(times, 0.95)}  processor ${times.cpu.toFixed(2)}`,
      );
    }
  }
  await server.stop();
}

void main();
