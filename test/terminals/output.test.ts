/** No output is lost, split or delivered late (X4). `BELAY_FULL=1` runs the counts of the rules in full. */
import assert from 'node:assert/strict';
import { Capture } from '../../host/base/capture';
import { TERMINAL_KEPT_BYTES } from '../../protocol';
import { AgentReader } from '../../host/adapters/terminals/agentReader';
import { Backlog } from '../../host/adapters/terminals/backlog';
import { Output } from '../../host/adapters/terminals/output';
import { plain, withoutQueries } from '../../host/adapters/terminals/plain';
import { Viewer } from '../../host/adapters/terminals/viewer';
import { Desk } from './desk';

const full = process.env['BELAY_FULL'] === '1';
const SHORT_RUNS = full ? 500 : 60;
const LONG_RUNS = full ? 20 : 3;
/** Processor time, µs: some twenty times what it takes, and a hundredth of what the square of it takes. */
const LINEAR_US = 2_000_000;

describe('the output of a terminal', function () {
  this.timeout(full ? 300_000 : 60_000);
  let desk: Desk;
  before(async () => (desk = await Desk.open()));
  after(() => desk.close());

  it(`X4 output at exit is complete in ${SHORT_RUNS} of ${SHORT_RUNS} short runs`, async () => {
    const command = `i=0; while [ $i -lt 300 ]; do echo "line $i of a short run that ends at once"; i=$((i+1)); done`;
    const wanted = Array.from({ length: 300 }, (_, i) => `line ${i} of a short run that ends at once\n`).join(
      '',
    );
    for (let n = 0; n < SHORT_RUNS; n += 1) {
      const started = desk.start(command);
      const result = await started.run.done;
      assert.equal(result.output['output'], wanted, `run ${n}`);
      assert.equal(started.text.replace(/\r/g, ''), wanted, `run ${n}, as a viewer sees it`);
    }
  });

  it(`X4 10 MB are drained in ${LONG_RUNS} of ${LONG_RUNS} runs, and what is omitted is counted`, async () => {
    for (let n = 0; n < LONG_RUNS; n += 1) {
      const started = desk.start(`head -c 10000000 /dev/zero | tr '\\0' x`);
      const { output } = await started.run.done;
      const read = started.run.read(0, TERMINAL_KEPT_BYTES);
      assert.equal(output['omitted_bytes'], 10_000_000 - TERMINAL_KEPT_BYTES, `run ${n}`);
      assert.match(read.text, /^x+\n\[… 8951424 bytes omitted …\]\nx+$/);
      assert.equal(started.bytes + started.omitted, 10_000_000, 'a viewer is told of every byte');
    }
  });

  it('X4 UTF-8 is never split, wherever the pieces end', async () => {
    const text = 'aé€𝄞\n'.repeat(20_000);
    const started = desk.start(`node -e 'process.stdout.write("aé€𝄞\\n".repeat(20000))'`);
    await started.run.done;
    assert.equal(started.text.replace(/\r/g, ''), text);
    assert.doesNotMatch(started.text, /\uFFFD/);
  });

  it('X4 nothing comes behind the end, also of what a program has left running', async () => {
    const started = desk.start('(trap "" HUP; while :; do echo late; done) & sleep 0.1; echo last');
    await started.run.done;
    const { bytes } = started;
    await desk.run('true');
    assert.equal(started.bytes, bytes);
    assert.match(started.text, /last/);
  });

  it('X8 a secret is neither in the environment nor in what the agent reads, also over two reads', async () => {
    const secret = 'sk-terminal-secret';
    process.env['BELAY_TEST_KEY'] = secret;
    const own = await Desk.open({ secrets: { names: ['BELAY_TEST_KEY'], values: [secret] } });
    delete process.env['BELAY_TEST_KEY'];
    try {
      const started = own.start('env; stty -echo; printf "sk-termi"; read x; printf "nal-secret\\n"; read x');
      await started.says('sk-termi');
      const first = await started.read();
      started.type('\r');
      await started.says('secret\r\n');
      const second = await started.read();
      const told = JSON.stringify([first, second]);
      assert.doesNotMatch(told, /sk-termi|nal-secret|BELAY_TEST_KEY/);
      assert.match(String(second['output']), /\[REDACTED\]/);
      await started.run.stop('stopped');
    } finally {
      await own.close();
    }
  });
});

describe('what an agent reads of a terminal', () => {
  const sample =
    'a\x1b[31mréd\x1b[0m €\x1b]0;title\x07𝄞 \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\r\nover\rnew\b!\r\n\x1b(Bend\n';
  const wanted = 'aréd €𝄞 link\nnewe!r'.slice(0, 12);

  it('X4 reads the same text, split at every byte and at every pair of bytes', () => {
    const bytes = Buffer.from(sample);
    const whole = plain(sample);
    assert.ok(whole.startsWith(wanted.slice(0, 4)), whole);
    for (let one = 0; one <= bytes.length; one += 1)
      for (let two = one; two <= bytes.length; two += 1) {
        const kept = new Capture(TERMINAL_KEPT_BYTES);
        const reader = new AgentReader(kept, () => ({ names: [], values: [] }));
        let text = '';
        for (const [from, until] of [
          [0, one],
          [one, two],
          [two, bytes.length],
        ] as const) {
          kept.add(bytes.subarray(from, until));
          const unread = reader.look(until === bytes.length);
          text += unread.text;
          reader.told(unread.next);
        }
        assert.ok(!text.includes('\x1b') && !text.includes('\uFFFD'), `${one}, ${two}`);
        // Only a line that is written over is read in the two states in which it was seen.
        assert.equal(text.split('\n').at(0), whole.split('\n').at(0), `${one}, ${two}`);
        assert.ok(text.endsWith('end\n'));
      }
  });

  it('X3 a look that nobody is told of loses nothing (L7)', () => {
    const kept = new Capture(TERMINAL_KEPT_BYTES);
    const reader = new AgentReader(kept, () => ({ names: [], values: [] }));
    kept.add(Buffer.from('first\n'));
    assert.equal(reader.look(false).text, 'first\n');
    kept.add(Buffer.from('second\n'));
    const both = reader.look(false);
    assert.equal(both.text, 'first\nsecond\n');
    reader.told(both.next);
    assert.equal(reader.look(false).text, '');
  });

  it('R10 what has been omitted between two reads is counted, also what never came to the host', () => {
    const kept = new Capture(1_000);
    const reader = new AgentReader(kept, () => ({ names: [], values: [] }));
    kept.add(Buffer.from('begin\n'));
    reader.told(reader.look(false).next);
    kept.add(Buffer.alloc(400, 'x'));
    kept.skip(5_000);
    kept.add(Buffer.alloc(700, 'y'));
    const unread = reader.look(false);
    assert.equal(unread.omitted, 5_200);
    assert.equal(unread.text, `${'x'.repeat(400)}\n[… 5200 bytes omitted …]\n${'y'.repeat(500)}`);
    assert.equal(kept.total, 6_106);
    assert.equal(kept.omitted, 5_200);
  });

  it('shows lines as they stood: progress written over, and what was erased', () => {
    assert.equal(plain('10%\r50%\r100%\r\nok\n'), '100%\nok\n');
    assert.equal(plain('abc\b\bX\x1b[K\n'), 'aX\n');
    assert.equal(plain('\x1b[2J\x1b[1;31mred\x1b[m\x07'), 'red');
    assert.equal(plain('longer\rab\r\r\n\rc\n'), 'abnger\nc\n');
  });

  it('R10 a long line that is written over again and again costs no more than its length', () => {
    const begun = process.cpuUsage();
    assert.equal(plain('x'.repeat(400_000) + '\ra'.repeat(100_000)), `a${'x'.repeat(399_999)}`);
    assert.equal(plain(`${'\r'.repeat(400_000)}end`), 'end');
    const { user } = process.cpuUsage(begun);
    assert.ok(user < LINEAR_US, `${user} µs`);
  });
});

describe('secrets on a terminal', () => {
  const secret = 'sk-ant-0123456789abcdefghij';
  const secrets = () => ({ names: [], values: [secret] });
  const output = (cols: number, rows: number) => new Output(secrets, { cols, rows }, () => {});

  it('X8 a secret with colours in it is not what the agent reads, and not what is kept', async () => {
    const printed = output(120, 30);
    printed.add(Buffer.from(`KEY=\x1b[01;31m\x1b[Ksk-ant\x1b[m\x1b[K-0123456789abcdefghij\r\nnext\r\n`), 0);
    assert.deepEqual((await printed.look()).fields, { output: `KEY=[REDACTED]\nnext\n` });
    assert.equal(printed.whole(), `KEY=[REDACTED]\nnext\n`);
  });

  it('X8 two reads do not share a secret with colours in it, wherever it is split', () => {
    const bytes = Buffer.from(`a\x1b[31msk-an\x1b[mt-0123\x07456789\x1b[32mabcdefghij\x1b[m b\n`);
    for (let at = 0; at <= bytes.length; at += 1) {
      const kept = new Capture(TERMINAL_KEPT_BYTES);
      const reader = new AgentReader(kept, secrets);
      kept.add(bytes.subarray(0, at));
      const first = reader.look(false);
      reader.told(first.next);
      kept.add(bytes.subarray(at));
      const second = reader.look(true);
      assert.equal(first.text + second.text, 'a[REDACTED] b\n', `split at ${at}`);
    }
  });

  it('X8 a secret in several rows of a screen is in none of them, on it and above it', async () => {
    for (const wrapped of [secret, `${secret.slice(0, 20)}\x1b[2;1H${secret.slice(20)}`]) {
      const printed = output(20, 10);
      printed.add(Buffer.from(`\x1b[2J\x1b[H${wrapped}\r\nend`), 0);
      const screen = await printed.screen();
      assert.equal(screen.text, `[REDACTED]\n\nend`);
      assert.deepEqual(screen.cursor, { row: 3, column: 4 });
    }
    const scrolled = output(20, 3);
    scrolled.add(Buffer.from(`first\r\n\x1b[2;1H${secret}\r\nend\r\n`), 0);
    const { above, text } = await scrolled.screen();
    assert.doesNotMatch(`${above}\n${text}`, /sk-ant|defghij/);
    assert.match(`${above}\n${text}`, /first\n\[REDACTED\]\n\nend/);
  });
});

describe('the way to a viewer', () => {
  it('X4 only it has flow control: a slow viewer is behind, and is told what it has missed', () => {
    const kept = new Capture(TERMINAL_KEPT_BYTES);
    const got: { text: string; bytes: number; omitted: number; last: boolean }[] = [];
    const viewer = new Viewer(
      kept,
      () => true,
      (piece) => got.push(piece),
    );
    for (let n = 0; n < 50; n += 1) {
      kept.add(Buffer.alloc(64 * 1024, 'x'));
      viewer.pump();
    }
    const sent = got.reduce((sum, piece) => sum + piece.bytes, 0);
    assert.equal(sent, 256 * 1024, 'no more than its window');
    viewer.taken(sent);
    viewer.end();
    const all = got.reduce((sum, piece) => sum + piece.bytes + piece.omitted, 0);
    assert.equal(all, kept.total);
    assert.equal(got.at(-1)?.last, true);
  });

  it('X4 a character that two pieces share comes whole', () => {
    const kept = new Capture(TERMINAL_KEPT_BYTES);
    let text = '';
    const viewer = new Viewer(
      kept,
      () => true,
      (piece) => (text += piece.text),
    );
    for (const byte of Buffer.from('é€𝄞')) {
      kept.add(Buffer.from([byte]));
      viewer.pump();
    }
    assert.equal(text, 'é€𝄞');
  });

  it('X3 what a program asks its terminal is not asked again by what is shown of the past', () => {
    const kept = new Capture(TERMINAL_KEPT_BYTES);
    kept.add(Buffer.from('a\x1b[6nb\x1b[cc\x1b]11;?\x07d'));
    const pieces: string[] = [];
    const viewer = new Viewer(
      kept,
      () => true,
      (piece) => pieces.push(piece.text),
    );
    viewer.pump();
    kept.add(Buffer.from('\x1b[6n'));
    viewer.pump();
    assert.deepEqual(pieces, ['abcd', '\x1b[6n']);
    assert.equal(withoutQueries('\x1b[6;1H\x1b[31m'), '\x1b[6;1H\x1b[31m');
  });
});

describe('a question of a program that lies across two pieces', () => {
  const edge = 32 * 1024;

  it('X3 is not asked again by what is shown of the past, and nothing else of it is lost', () => {
    const kept = new Capture(TERMINAL_KEPT_BYTES);
    kept.add(Buffer.from(`${'a'.repeat(edge - 2)}\x1b[6nrest\x1b[`));
    const got: { text: string; bytes: number }[] = [];
    const viewer = new Viewer(
      kept,
      () => false,
      (piece) => got.push(piece),
    );
    viewer.pump();
    kept.add(Buffer.from('31mred'));
    viewer.pump();
    viewer.end();
    assert.equal(got.map(({ text }) => text).join(''), `${'a'.repeat(edge - 2)}rest\x1b[31mred`);
    assert.equal(
      got.reduce((sum, { bytes }) => sum + bytes, 0),
      kept.total,
    );
  });
});

describe('the way from the PTY host', () => {
  it('R10 a host that takes nothing costs a bounded memory, and every byte is accounted for', () => {
    let bytes = 0;
    let omitted = 0;
    const backlog = new Backlog((data, gone) => {
      bytes += data.length;
      omitted += gone;
    });
    for (let n = 0; n < 400; n += 1) {
      backlog.add(Buffer.alloc(64 * 1024, 'x'));
      backlog.flush();
    }
    assert.ok(bytes <= 640 * 1024, String(bytes));
    backlog.flush(true);
    assert.equal(bytes + omitted, 400 * 64 * 1024);
    assert.ok(bytes <= 2 * 1024 * 1024);
  });
});
