import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { Capture } from '../../host/base/capture';
import { environment, environments } from '../../host/adapters/processes/environment';
import { Outputs } from '../../host/adapters/processes/outputs';
import { Places } from '../../host/base/places';
import { redact, redactDeep, redactors, type Secrets } from '../../host/base/redact';
import { Host } from './support';

const secrets = (...values: string[]): Secrets => ({ names: [], values });

/** Any cutting of some bytes into pieces, with empty ones. */
const pieces = (bytes: Buffer): fc.Arbitrary<Buffer[]> =>
  fc.array(fc.nat(bytes.length), { maxLength: 12 }).map((cuts) => {
    const sorted = [0, ...cuts.sort((one, two) => one - two), bytes.length];
    return sorted.slice(1).map((to, index) => bytes.subarray(sorted[index] ?? 0, to));
  });
const cut = (text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; pieces: Buffer[] }> =>
  text.chain((whole) => pieces(Buffer.from(whole)).map((parts) => ({ text: whole, pieces: parts })));

describe('What is kept of a stream', () => {
  it('R10: never more than its limit, with the rest counted, and no character split', () => {
    fc.assert(
      fc.property(
        cut(fc.string({ unit: 'grapheme', maxLength: 300 })),
        fc.integer({ min: 8, max: 200 }),
        ({ text, pieces: parts }, limit) => {
          const capture = new Capture(limit);
          for (const part of parts) capture.add(part);
          const total = Buffer.byteLength(text);
          assert.equal(capture.total, total);
          const shown = capture.shown(limit);
          assert.ok(!shown.text.includes('\ufffd') || text.includes('\ufffd'));
          if (total <= limit - (limit % 2)) {
            assert.deepEqual(shown, { text, omitted: 0 });
            return;
          }
          const [head = '', tail = ''] = shown.text.split(/\n\[… \d+ bytes omitted …\]\n/);
          assert.ok(text.startsWith(head) && text.endsWith(tail));
          assert.equal(Buffer.byteLength(head) + Buffer.byteLength(tail) + shown.omitted, total);
          assert.ok(Buffer.byteLength(head) + Buffer.byteLength(tail) <= limit);
        },
      ),
    );
  });

  it('R10: pages through all that is kept, and says where the gap is', () => {
    fc.assert(
      fc.property(
        cut(fc.string({ unit: 'grapheme', maxLength: 300 })),
        fc.integer({ min: 16, max: 400 }),
        fc.integer({ min: 1, max: 64 }),
        ({ text, pieces: parts }, limit, page) => {
          const capture = new Capture(limit);
          for (const part of parts) capture.add(part);
          const all = Buffer.from(text);
          let offset = 0;
          let seen = 0;
          for (let rounds = 0; offset < all.length && rounds < 1_000; rounds += 1) {
            const read = capture.read(offset, page);
            assert.equal(read.total, all.length);
            assert.ok(read.offset >= offset);
            const bytes = Buffer.from(read.text);
            if (!text.includes('\ufffd')) {
              assert.equal(read.text, all.subarray(read.offset, read.offset + bytes.length).toString());
            }
            seen += bytes.length;
            assert.ok(read.offset + bytes.length > offset, 'it goes on');
            offset = read.offset + bytes.length;
          }
          assert.equal(offset, all.length);
          if (all.length <= limit - (limit % 2)) assert.equal(seen, all.length);
        },
      ),
    );
  });

  it('R10: a stream of single bytes costs no object for each', () => {
    const capture = new Capture(1024 * 1024);
    for (let count = 0; count < 100_000; count += 1) capture.add(Buffer.from('x'));
    const held: unknown[] = (capture as unknown as { head: unknown[] }).head;
    assert.ok(held.length < 50, String(held.length));
  });
});

describe('Secrets in an output', () => {
  it('X8: are replaced wherever the stream was cut, as in one piece', () => {
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '€'), minLength: 6, maxLength: 9 });
    const values = fc.array(alphabet, { minLength: 1, maxLength: 3 });
    const input = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '€'), maxLength: 80 });
    fc.assert(
      fc.property(values, cut(input), (held, { text, pieces: parts }) => {
        const stream = redactors(() => secrets(...held))();
        const out = Buffer.concat([...parts.map((part) => stream.push(part)), stream.end()]).toString();
        assert.equal(out, redact(text, secrets(...held)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('X8: are replaced in each form in which they may be printed', () => {
    const value = 'key"with/odd=signs';
    const text = `plain ${value} json ${JSON.stringify(value)} url ${encodeURIComponent(value)}`;
    assert.equal(redact(text, secrets(value)), 'plain [REDACTED] json "[REDACTED]" url [REDACTED]');
    assert.deepEqual(redactDeep({ a: [value, { b: value }], n: 1 }, secrets(value)), {
      a: ['[REDACTED]', { b: '[REDACTED]' }],
      n: 1,
    });
  });

  it('X8: the longest goes first, and what is too short to be one stays', () => {
    assert.equal(
      redact('token-one token-one-two', secrets('token-one', 'token-one-two', 'one')),
      '[REDACTED] [REDACTED]',
    );
    const stream = redactors(() => secrets('token-one', 'token-one-two'))();
    const out = [stream.push(Buffer.from('token-one')), stream.push(Buffer.from('-two!')), stream.end()];
    assert.equal(Buffer.concat(out).toString(), '[REDACTED]!');
  });

  it('X8: reach neither the result, nor what is told, nor a handle; nor the environment', async () => {
    const value = 'sk-very-secret-value';
    process.env['BELAY_TEST_KEY'] = value;
    process.env['BELAY_TEST_OTHER'] = `prefix ${value} suffix`;
    process.env['BELAY_TEST_NAMED'] = 'named';
    const host = await Host.start({ secrets: () => ({ names: ['BELAY_TEST_NAMED'], values: [value] }) });
    try {
      const half = Math.floor(value.length / 2);
      const started = host.start(
        `env | grep BELAY_TEST; printf %s ${value.slice(0, half)}; read x < /dev/null; printf '%s\\n' ${value.slice(half)}; echo ${value} >&2`,
      );
      const { output } = await started.run.done;
      assert.equal(output['stdout'], '[REDACTED]\n');
      assert.equal(output['stderr'], '[REDACTED]\n');
      assert.ok(!started.text().includes('secret'));
      assert.ok(!started.run.read(0, 1_000).text.includes('secret'));
    } finally {
      for (const name of ['KEY', 'OTHER', 'NAMED']) Reflect.deleteProperty(process.env, `BELAY_TEST_${name}`);
      await host.stop();
    }
  });

  it('X4: what was held back as a possible secret comes at the end', () => {
    const told: string[] = [];
    const outputs = new Outputs(
      () => secrets('secret-value'),
      (_, text) => told.push(text),
    );
    const stdout = new PassThrough();
    const stderr = new PassThrough();
    outputs.listen({ stdout, stderr });
    stdout.emit('data', Buffer.from('it ends in secret-val'));
    assert.deepEqual(told, ['it ends in ']);
    outputs.end();
    assert.deepEqual(told, ['it ends in ', 'secret-val']);
    stdout.emit('data', Buffer.from('late'));
    outputs.end();
    assert.equal(outputs.shown()['stdout'], 'it ends in secret-val');
    assert.equal(told.length, 2);
  });

  it('X4: told texts split no character, wherever the bytes were cut', () => {
    fc.assert(
      fc.property(cut(fc.string({ unit: 'grapheme', maxLength: 60 })), ({ text, pieces: parts }) => {
        const told: string[] = [];
        const outputs = new Outputs(
          () => secrets(),
          (_, one) => told.push(one),
        );
        const stdout = new PassThrough();
        outputs.listen({ stdout, stderr: new PassThrough() });
        for (const part of parts) stdout.emit('data', part);
        outputs.end();
        assert.equal(told.join(''), text);
        assert.ok(told.every((one) => !one.includes('\ufffd') || text.includes('\ufffd')));
      }),
    );
  });
});

describe('The environment of a command', () => {
  it("X8: is the host's without what Belay and the editor keep for themselves", () => {
    const env = environment(
      {
        HOME: '/home/x',
        KEY: 'a secret value',
        URL: 'https://user:a secret value@host',
        NAMED: 'x',
        VSCODE_IPC_HOOK: '1',
        ELECTRON_RUN_AS_NODE: '1',
        FORCE_COLOR: '3',
        PAGER: 'less',
        GONE: undefined,
      },
      { names: ['NAMED'], values: ['a secret value', ''] },
      { BELAY_RUN: 'r' },
    );
    assert.deepEqual(
      Object.keys(env).filter((name) =>
        [
          'HOME',
          'KEY',
          'URL',
          'NAMED',
          'VSCODE_IPC_HOOK',
          'ELECTRON_RUN_AS_NODE',
          'FORCE_COLOR',
          'GONE',
        ].includes(name),
      ),
      ['HOME'],
    );
    assert.equal(env['PAGER'], 'cat');
    assert.equal(env['BELAY_RUN'], 'r');
  });

  it('X8: keeps what says who works where, whatever a secret is, and what holds a word too short for one', () => {
    const env = environment(
      {
        PATH: '/home/someone/bin',
        HOME: '/home/someone',
        USER: 'someone',
        CACHE: '/home/someone/c',
        SHORT: 'abc',
      },
      { names: [], values: ['someone', 'b'] },
      {},
    );
    assert.deepEqual(
      ['PATH', 'HOME', 'USER', 'CACHE', 'SHORT'].filter((name) => env[name] !== undefined),
      ['PATH', 'HOME', 'USER', 'SHORT'],
    );
  });

  it('X8: knows of a secret from the next command on', () => {
    let values: string[] = [];
    const make = environments({ KEY: 'a secret value', HOME: '/' }, () => ({ names: [], values }));
    assert.equal(make({ A: '1' })['KEY'], 'a secret value');
    values = ['a secret value'];
    assert.equal(make({ A: '2' })['KEY'], undefined);
    assert.deepEqual([make({ A: '3' })['A'], make({})['A'], make({})['HOME']], ['3', undefined, '/']);
    assert.equal(redact('a secret value', { names: [], values }), '[REDACTED]');
    assert.equal(redact('a secret value', { names: [], values: [] }), 'a secret value');
  });
});

describe('Places', () => {
  it('are given in the order in which they were asked for, never to one who has left', () => {
    const places = new Places(1);
    const first = places.tryTake();
    const given: number[] = [];
    places.wait(() => given.push(1));
    const second = places.wait(() => given.push(2));
    places.wait((place) => {
      given.push(3);
      place.free();
    });
    assert.equal(places.tryTake(), undefined);
    second.leave();
    first?.free();
    first?.free();
    assert.deepEqual(given, [1]);
  });

  it('R10: thousands in line that give their place back at once do not pile up', () => {
    const places = new Places(1);
    const first = places.tryTake();
    let served = 0;
    for (let count = 0; count < 20_000; count += 1) {
      places.wait((place) => {
        served += 1;
        place.free();
      });
    }
    first?.free();
    assert.equal(served, 20_000);
    assert.ok(places.tryTake() !== undefined);
  });
});
