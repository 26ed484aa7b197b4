/** How an attempt fails or is ended, on every wire alike, over real HTTP. */
import assert from 'node:assert/strict';
import { CordPulled } from '../../host/base/launch';
import { gate, startModelServer, type ModelServer } from '../support/modelServer';
import { callOf, failing, handClock, modelsFor, run, user } from './bench';
import { directWeb } from '../support/directWeb';

const SEALED = 'A'.repeat(1024 * 1024);
const many = (piece: (place: number) => object): object[] =>
  Array.from({ length: 10 }, (_one, n) => piece(n));
/** What of a wire is neither text nor arguments, 10 MiB of it. */
const ENDLESS = {
  'openai-compatible': ['one entry', 'many entries'].map((what) => {
    const detail = (n: number) => ({ type: 'reasoning.encrypted', index: what === 'one entry' ? 0 : n });
    return [
      what,
      many((n) => ({
        choices: [{ index: 0, delta: { reasoning_details: [{ ...detail(n), data: SEALED }] } }],
      })),
    ] as const;
  }),
  openai: [
    [
      'items',
      many((n) => ({
        type: 'response.output_item.done',
        output_index: n,
        item: { type: 'reasoning', id: `r${String(n)}`, encrypted_content: SEALED },
      })),
    ],
  ],
  anthropic: [
    [
      'a signature',
      [
        { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
        ...many(() => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'signature_delta', signature: SEALED },
        })),
      ],
    ],
    [
      'sealed reasoning',
      many((n) => ({
        type: 'content_block_start',
        index: n,
        content_block: { type: 'redacted_thinking', data: SEALED },
      })),
    ],
  ],
} as const;

for (const kind of ['openai-compatible', 'openai', 'anthropic'] as const) {
  describe(`models: how attempts fail (${kind})`, () => {
    let server: ModelServer;
    beforeEach(async () => void (server = await startModelServer()));
    afterEach(async () => {
      await server.stop();
      assert.deepEqual(server.violations, []);
    });
    const models = (more = {}): ReturnType<typeof modelsFor> => modelsFor(server, kind, more);
    const hello = callOf({ items: [user('hello')] });

    it('fails with what to do when the key is refused', async () => {
      server.script([{ status: 401, body: { error: { message: 'bad key', type: 'authentication_error' } } }]);
      const failure = await failing(run(models({ secret: () => Promise.resolve('key-1') }), hello));
      assert.equal(failure.code, 'model_key_missing');
      assert.equal(failure.retry, false);
      assert.match(failure.message, /"local" does not accept the key.*bad key/s);
      assert.ok(!failure.message.includes('key-1'));
    });

    for (const [status, headers, code, after] of [
      [429, { 'retry-after': '7' }, 'model_overloaded', 7000],
      [
        429,
        { 'retry-after': new Date(1_790_000_000_000 + 90_000).toUTCString() },
        'model_overloaded',
        90_000,
      ],
      [503, { 'retry-after-ms': '1500', 'retry-after': '9' }, 'model_overloaded', 1500],
      [500, {}, 'model_unreachable', undefined],
      [408, {}, 'model_unreachable', undefined],
      [409, {}, 'model_unreachable', undefined],
      [502, { 'retry-after': 'soon' }, 'model_unreachable', undefined],
    ] as const) {
      it(`asks for another attempt after status ${status} ${JSON.stringify(headers)}`, async () => {
        server.script([{ status, headers, body: { error: { message: 'busy' } } }]);
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry, failure.retryAfterMs], [code, true, after]);
        assert.equal(server.requests.length, 1);
      });
    }

    for (const [status, error, code] of [
      [400, { message: 'Unsupported parameter' }, 'model_rejected'],
      [404, { message: 'no such model' }, 'model_rejected'],
      [403, { message: 'not allowed' }, 'model_rejected'],
      [429, { message: 'You exceeded your current quota', type: 'insufficient_quota' }, 'model_rejected'],
      [400, { message: 'prompt is too long: 250000 tokens > 200000 maximum' }, 'context_limit'],
      [
        400,
        {
          message: 'This model\u2019s maximum context length is 8192 tokens',
          code: 'context_length_exceeded',
        },
        'context_limit',
      ],
      [413, { message: 'too large' }, 'context_limit'],
      [400, { message: 'declined', code: 'content_filter' }, 'model_refused'],
    ] as const) {
      it(`does not try again after status ${status}: ${error.message}`, async () => {
        server.script([{ status, body: { error } }]);
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry], [code, false]);
        assert.ok(failure.message.includes(error.message));
      });
    }

    for (const status of [301, 302, 307, 308])
      it(`P2 does not follow a redirect (${status}), and says where it leads to`, async () => {
        const other = await startModelServer();
        const location = `${other.url}/elsewhere?token=1`;
        server.script([{ status, headers: { location }, body: '' }]);
        const failure = await failing(run(models({ secret: () => Promise.resolve('key-1') }), hello));
        const asked = [server.requests.length, other.requests.length, other.looks.length];
        await other.stop();
        assert.deepEqual([failure.code, failure.retry, ...asked], ['model_rejected', false, 1, 0, 0]);
        assert.ok(failure.message.includes(`"local" leads to ${other.url}/elsewhere. Belay does not send`));
      });

    for (const cutBy of ['end', 'break'] as const) {
      it(`takes a stream that ends before its marker as a failed attempt (${cutBy})`, async () => {
        server.script([{ text: 'half an answer', pieces: 4, cutAfter: 5, cutBy }]);
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry], ['model_unreachable', true]);
        assert.match(failure.message, /broke off/);
      });
    }

    it('takes a connection without answer as a failed attempt', async () => {
      server.script([{ hangUp: true }]);
      const failure = await failing(run(models(), hello));
      assert.deepEqual([failure.code, failure.retry], ['model_unreachable', true]);
    });

    it('ends a stream that has stalled, and not one that goes on', async () => {
      const clock = handClock();
      const stops = [gate(), gate()] as const;
      const gates = stops.map((each, n) => ({ after: 6 + 3 * n, gate: each }));
      server.script([
        { text: 'slow but alive', pieces: 14, gates },
        { text: 'then nothing', pieces: 4, stallAfter: 5 },
      ]);
      const pieces = new Counter();
      const alive = run(models({ clock, stallMs: () => 1000 }), hello, { onPiece: () => pieces.add() });
      let seen = 0;
      for (const stop of stops) {
        await stop.reached;
        await pieces.atLeast(seen + 1);
        seen = pieces.count;
        clock.pass(999);
        stop.open();
      }
      assert.equal((await alive).answer.text, 'slow but alive');

      let came = (): void => undefined;
      const first = new Promise<void>((resolve) => (came = resolve));
      const dead = failing(run(models({ clock, stallMs: () => 1000 }), hello, { onPiece: () => came() }));
      await first;
      clock.pass(1000);
      const failure = await dead;
      assert.deepEqual([failure.code, failure.retry], ['model_stalled', true]);
      assert.equal(await server.requests[1]?.aborted, true);
      assert.equal(clock.set, 0);
    });

    it('ends a request that gets no answer at all', async () => {
      const clock = handClock();
      const never = gate();
      server.script([{ text: 'never', gate: never }]);
      const dead = failing(run(models({ clock, stallMs: () => 1000 }), hello));
      await never.reached;
      clock.pass(1000);
      assert.equal((await dead).code, 'model_stalled');
    });

    for (const malformed of ['{"choices":[', '{"choices":7,"type":7}', '"text"']) {
      it(`takes a malformed stream as a failed attempt: ${malformed}`, async () => {
        server.script([{ malformed, text: 'x' }]);
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry], ['model_malformed', true]);
      });
    }

    it('says so when a page comes in the place of a stream', async () => {
      server.script([{ raw: '<html>hello</html>', headers: { 'content-type': 'text/html' } }]);
      const failure = await failing(run(models(), hello));
      assert.equal(failure.code, 'model_malformed');
      assert.match(failure.message, /base address/);
    });

    it('stops an answer that grows without end', async () => {
      const text = 'x'.repeat(5 * 1024 * 1024);
      server.script([
        { text, pieces: 50, endGate: gate() },
        { calls: [{ tool: 'write', args: { text } }], pieces: 50, endGate: gate() },
      ]);
      for (let n = 0; n < 2; n += 1) {
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry], ['model_output_limit', false]);
        assert.equal(await server.requests[n]?.aborted, true);
      }
    });

    for (const [what, pieces] of ENDLESS[kind])
      it(`R10 stops an answer that grows in what is kept for the model alone: ${what}`, async () => {
        server.script([{ raw: pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('') }]);
        const failure = await failing(run(models(), hello));
        assert.deepEqual([failure.code, failure.retry], ['model_output_limit', false]);
      });

    it('stops an answer that plans calls without end', async () => {
      const calls = Array.from({ length: 200 }, () => ({ tool: 'read', args: {} }));
      server.script([{ calls, endGate: gate() }]);
      const failure = await failing(run(models(), hello));
      assert.deepEqual([failure.code, failure.retry], ['model_malformed', true]);
      assert.match(failure.message, /more than 128 calls/);
    });

    it('rejects with the signal’s reason when it is aborted in the middle, and hangs up', async () => {
      const stop = gate();
      server.script([{ text: 'one two three', pieces: 3, gates: [{ after: 6, gate: stop }] }]);
      const controller = new AbortController();
      const reason = { code: 'host_paused' };
      const answering = run(models(), hello, {
        signal: controller.signal,
        onPiece: () => controller.abort(reason),
      });
      await assert.rejects(answering, (error) => error === reason);
      assert.equal(await server.requests[0]?.aborted, true);
    });

    it('starts nothing when the signal was aborted before', async () => {
      const reason = new Error('cancelled');
      await assert.rejects(
        run(models(), hello, { signal: AbortSignal.abort(reason) }),
        (error) => error === reason,
      );
      assert.equal(server.requests.length, 0);
    });

    it('P2: sends nothing when the launch is refused', async () => {
      const launch = (): never => {
        throw new CordPulled();
      };
      await assert.rejects(run(models(), hello, { launch }), (error) => error instanceof CordPulled);
      server.script([{ text: 'after' }]);
      await run(models(), hello);
      assert.equal(server.requests.length, 1);
    });

    it('P2: calls fetch inside the launch, at once', async () => {
      server.script([{ text: 'ok' }]);
      let inside = false;
      let when: boolean | undefined;
      const spy: typeof fetch = (input, init) => {
        when = inside;
        return fetch(input, init);
      };
      await run(models({ web: directWeb(spy) }), hello, {
        launch: (effect) => {
          inside = true;
          const value = effect();
          inside = false;
          return value;
        },
      });
      assert.equal(when, true);
    });

    it('lets an error of the caller’s own through as it is', async () => {
      server.script([{ text: 'ok' }]);
      const own = new RangeError('mine');
      const answering = run(models(), hello, {
        onPiece: () => {
          throw own;
        },
      });
      await assert.rejects(answering, (error) => error === own);
    });

    it('cannot reach an address where nobody listens', async () => {
      const gone = await startModelServer();
      await gone.stop();
      const failure = await failing(run(modelsFor(gone, kind), hello));
      assert.deepEqual([failure.code, failure.retry], ['model_unreachable', true]);
      assert.match(failure.message, /ECONNREFUSED/);
    });
  });
}

/** Counts pieces, and waits until there are so many. */
class Counter {
  count = 0;
  private waiting: { readonly from: number; readonly resolve: () => void }[] = [];

  add(): void {
    this.count += 1;
    for (const each of this.waiting.filter(({ from }) => from <= this.count)) each.resolve();
    this.waiting = this.waiting.filter(({ from }) => from > this.count);
  }

  atLeast(from: number): Promise<void> {
    if (this.count >= from) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ from, resolve }));
  }
}
