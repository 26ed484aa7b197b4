/** The reader of server-sent events, on bodies cut anywhere. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BodyBroken, EventTooLarge, serverEvents, type ServerEvent } from '../../host/adapters/models/sse';

const bodyOf = (chunks: readonly Uint8Array[], broken?: Error): ReadableStream<Uint8Array> => {
  const left = [...chunks];
  return new ReadableStream({
    pull: (controller) => {
      const next = left.shift();
      if (next !== undefined) controller.enqueue(next);
      else if (broken === undefined) controller.close();
      else controller.error(broken);
    },
  });
};

async function read(body: ReadableStream<Uint8Array>, most = 1000): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const events of serverEvents(body, most)) found.push(...events);
  return found;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const data = fc.array(fc.constantFrom('a', '"', '世', '🌍', ' ', ':', '\\', '{}'), {
  minLength: 1,
  maxLength: 12,
});

describe('models: server-sent events', () => {
  it('are the same wherever the body is cut, even within a letter', async () => {
    const check = async (texts: string[][], cuts: number[], lineEnd: string): Promise<void> => {
      const events = texts.map((parts, n) => ({ event: n % 2 === 0 ? '' : `e${n}`, data: parts.join('') }));
      const lines = events.map(
        (event) => `${event.event === '' ? '' : `event: ${event.event}\n`}: note\ndata: ${event.data}\n\n`,
      );
      const whole = bytes(lines.join('').replaceAll('\n', lineEnd));
      const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
      const chunks = [0, ...places].map((from, n) => whole.slice(from, places[n] ?? whole.length));
      assert.deepEqual(
        await read(bodyOf(chunks)),
        events.map((event) => ({ ...event, whole: true })),
      );
    };
    const cuts = fc.array(fc.nat(300), { maxLength: 20 });
    const property = fc.asyncProperty(
      fc.array(data, { maxLength: 6 }),
      cuts,
      fc.constantFrom('\n', '\r\n'),
      check,
    );
    await fc.assert(property, { numRuns: 300 });
  });

  it('join lines of one event, and mark what has no end', async () => {
    assert.deepEqual(await read(bodyOf([bytes('data: a\ndata:b\n\nid: 7\nretry: 1\n\ndata: c')])), [
      { event: '', data: 'a\nb', whole: true },
      { event: '', data: 'c', whole: false },
    ]);
  });

  it('are bounded', async () => {
    const endless = Array.from({ length: 50 }, () => bytes('data: xxxxxxxxxxxxxxxxxxxxxxxxxx'));
    await assert.rejects(read(bodyOf(endless), 100), (error) => error instanceof EventTooLarge);
    const lines = Array.from({ length: 50 }, () => bytes('data: xxxxxxxxxxxxxxxxxxxxxxxxxx\n'));
    await assert.rejects(read(bodyOf(lines), 100), (error) => error instanceof EventTooLarge);
  });

  it('end with the cause when the connection breaks', async () => {
    const cause = new Error('reset');
    await assert.rejects(
      read(bodyOf([bytes('data: a\n\n')], cause)),
      (error) => error instanceof BodyBroken && error.cause === cause,
    );
  });
});
