import assert from 'node:assert/strict';
import { closingLines } from './closing';
import type { Result } from './report';
import type { Outcome } from './tries';

const passed: Result = { kind: 'passed', file: 'test/a.test.ts', title: 'a passes', ms: 1 };
const failed = (title: string, error = 'Error: wrong'): Result => ({
  kind: 'failed',
  file: 'test/a.test.ts',
  title,
  error,
});
const outcome = (more: Partial<Outcome>): Outcome => ({ suite: 'host', results: [], again: [], ...more });

describe('the closing lines of a run', () => {
  it('are one sentence when all is well', () => {
    assert.deepEqual(closingLines([outcome({ results: [passed] }), outcome({ results: [passed] })]), [
      '2 passed, 0 failed',
    ]);
  });

  it('name each failed test with its suite, its file, its title and the first lines of its error', () => {
    const error = [
      'AssertionError: it is 2',
      '',
      '    at async Context.<anonymous> (/checkout/test/a.test.ts:3:5)',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
      '    at callFn (/checkout/node_modules/mocha/lib/runnable.js:366:21)',
    ].join('\n');
    const results = [passed, failed('a fails', error)];
    assert.deepEqual(closingLines([outcome({ results })]), [
      'Failed:',
      '  host, test/a.test.ts',
      '    a fails',
      '      AssertionError: it is 2',
      '          at async Context.<anonymous> (/checkout/test/a.test.ts:3:5)',
      '1 passed, 1 failed',
    ]);
  });

  it('name what passed only when run again', () => {
    const again = [
      { file: 'test/a.test.ts', title: 'a is late' },
      { file: '', title: 'The test process ended by SIGKILL, not with its tests.' },
    ];
    assert.deepEqual(closingLines([outcome({ results: [passed], again })]), [
      'Passed only when run again:',
      '  host, test/a.test.ts: a is late',
      '  host: The test process ended by SIGKILL, not with its tests.',
      '1 passed, 0 failed, 2 of them passed only when run again',
    ]);
  });

  it('say when a process did not end with its tests, and count it', () => {
    assert.deepEqual(closingLines([outcome({ results: [passed], trouble: 'The test process ended.' })]), [
      'Failed:',
      '  host',
      '    The test process ended.',
      '1 passed, 1 failed',
    ]);
  });

  it('are never more than sixty, whatever failed', () => {
    const error = Array.from({ length: 30 }, (_, n) => `line ${n} ${'x'.repeat(500)}`).join('\n');
    const again = Array.from({ length: 50 }, (_, n) => ({ file: '', title: `again ${n}` }));
    for (const count of [1, 5, 10, 12, 300]) {
      const results = Array.from({ length: count }, (_, n) => failed(`fails ${n}`, error));
      const lines = closingLines([outcome({ results, again }), outcome({ trouble: 'It ended.' })]);
      assert.ok(lines.length <= 60, `${lines.length} lines`);
      assert.ok(lines.every((line) => line.length <= 180));
      assert.match(lines.at(-1) ?? '', new RegExp(`^0 passed, ${count + 1} failed, 50 of them`));
    }
  });

  it('give up errors before titles', () => {
    const results = Array.from({ length: 12 }, (_, n) => failed(`fails ${n}`, 'one\ntwo\nthree\nfour'));
    const lines = closingLines([outcome({ results })]);
    for (let n = 0; n < 12; n++) assert.ok(lines.includes(`    fails ${n}`), `fails ${n}`);
  });
});
