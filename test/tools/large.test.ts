import assert from 'node:assert/strict';
import { nearest } from '../../host/adapters/tools/replace';
import { Bench } from './support';

/** What the host's thread may stand still for at these sizes, ms; it was seconds. Real work takes a tenth of it. */
const STILL_MS = 1_000;

function timed<T>(work: () => T): T {
  const from = performance.now();
  const value = work();
  assert.ok(performance.now() - from < STILL_MS);
  return value;
}

describe('the largest files that tools take', () => {
  it('S4 R10 a hint is looked for in a bounded part of them', () => {
    const like = (n: number) =>
      `const value = compute(alpha, beta, gamma); // ${String(n).padEnd(350, 'xyzt')}`;
    const text = Array.from({ length: 40_000 }, (_, n) => like(n)).join('\r\n');
    assert.equal(
      timed(() => nearest(text, 'q'.repeat(400))),
      undefined,
    );
    assert.equal(timed(() => nearest(text, `  ${like(7)}`))?.line, 8);
  });

  it('S4 R10 a page of many lines is cut out, with the number of all', async () => {
    const bench = await Bench.open();
    try {
      bench.put('lines', '\r\n'.repeat(8 * 1024 * 1024));
      const page = await bench.prepared('read', { path: 'lines', offset: 8_000_000, limit: 3 });
      const from = process.cpuUsage();
      const { output } = await bench.start(page).done;
      assert.ok(process.cpuUsage(from).user / 1_000 < STILL_MS);
      assert.deepEqual(output, {
        text: '\n\n\n',
        from: 8_000_000,
        to: 8_000_002,
        total_lines: 8 * 1024 * 1024,
        next_offset: 8_000_003,
        line_ends: 'crlf',
      });
    } finally {
      await bench.close();
    }
  });
});
