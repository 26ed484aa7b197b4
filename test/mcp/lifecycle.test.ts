import assert from 'node:assert/strict';
import fc from 'fast-check';
import { next, type Life, type LifeEvent } from '../../host/adapters/mcp/lifecycle';
import { SERVER_RESTARTS } from '../../protocol';

const broke = (retry: boolean, stable = false): LifeEvent => ({ kind: 'broke', retry, stable });
const idle: Life = { kind: 'idle', restarts: 0 };

/** Follows events from a state; what is to be done, in order. */
function follow(from: Life, ...events: (LifeEvent | Exclude<LifeEvent['kind'], 'broke'>)[]) {
  let life = from;
  const effects: string[] = [];
  for (const event of events) {
    const step = next(life, typeof event === 'string' ? { kind: event } : event);
    life = step.life;
    effects.push(...step.effects);
  }
  return { life, effects };
}

describe('mcp: the life of a server', () => {
  const table: readonly [string, Life, Parameters<typeof follow>[1][], Life, string[]][] = [
    ['starts when it is needed', idle, ['wanted', 'connected'], { kind: 'ready', restarts: 0 }, ['open']],
    [
      'is needed twice and starts once',
      idle,
      ['wanted', 'wanted'],
      { kind: 'starting', restarts: 0 },
      ['open'],
    ],
    [
      'without consent does not start',
      { kind: 'needs_consent', restarts: 0 },
      ['wanted', 'start', 'restart'],
      { kind: 'needs_consent', restarts: 0 },
      [],
    ],
    ['with consent waits to be needed', { kind: 'needs_consent', restarts: 0 }, ['consented'], idle, []],
    [
      'loses its consent while it runs',
      { kind: 'ready', restarts: 0 },
      ['consent_missing', 'gone'],
      { kind: 'needs_consent', restarts: 0 },
      ['close'],
    ],
    [
      'is restarted only once the old one is gone',
      { kind: 'ready', restarts: 2 },
      ['restart'],
      { kind: 'stopping', restarts: 0, then: 'start' },
      ['close'],
    ],
    [
      'comes back after that',
      { kind: 'ready', restarts: 2 },
      ['restart', 'gone'],
      { kind: 'starting', restarts: 0 },
      ['close', 'open'],
    ],
    [
      'crashes and comes back after a pause',
      { kind: 'ready', restarts: 0 },
      [broke(true), 'gone', 'due', 'connected'],
      { kind: 'ready', restarts: 1 },
      ['close', 'back_off', 'open'],
    ],
    [
      'crashes too often',
      { kind: 'ready', restarts: SERVER_RESTARTS },
      [broke(true), 'gone'],
      { kind: 'failed', restarts: SERVER_RESTARTS },
      ['close'],
    ],
    [
      'has worked long enough for a clean record',
      { kind: 'ready', restarts: SERVER_RESTARTS },
      [broke(true, true), 'gone'],
      { kind: 'backing_off', restarts: 1 },
      ['close', 'back_off'],
    ],
    [
      'cannot start at all',
      { kind: 'starting', restarts: 0 },
      [broke(false), 'gone'],
      { kind: 'failed', restarts: 0 },
      ['close'],
    ],
    [
      'is stopped by a person and stays so',
      { kind: 'ready', restarts: 0 },
      ['stop', 'gone', 'wanted'],
      { kind: 'stopped', restarts: 0 },
      ['close'],
    ],
    [
      'is stopped in its pause',
      { kind: 'backing_off', restarts: 3 },
      ['stop', 'due'],
      { kind: 'stopped', restarts: 0 },
      ['forget_back_off'],
    ],
    ['has its start held by the cord', { kind: 'starting', restarts: 0 }, ['held', 'gone'], idle, ['close']],
    [
      'is ready and not touched by the cord',
      { kind: 'ready', restarts: 1 },
      ['held'],
      { kind: 'ready', restarts: 1 },
      [],
    ],
    [
      'is due while the cord is pulled',
      { kind: 'backing_off', restarts: 1 },
      ['held'],
      idle,
      ['forget_back_off'],
    ],
    [
      'cannot be ended and is never doubled',
      { kind: 'ready', restarts: 0 },
      ['restart', 'stuck', 'wanted'],
      { kind: 'failed', restarts: 0 },
      ['close'],
    ],
    [
      'is configured no longer',
      { kind: 'ready', restarts: 0 },
      ['removed', 'start', 'gone'],
      { kind: 'removed', restarts: 0 },
      ['close'],
    ],
  ];
  for (const [what, from, events, to, effects] of table)
    it(`M3 a server that ${what}`, () => {
      assert.deepEqual(follow(from, ...events), { life: to, effects });
    });

  it('M3 whatever happens, one process at most, and none that nobody ends', () => {
    const event = fc.constantFrom<LifeEvent>(
      ...(
        [
          'wanted',
          'start',
          'restart',
          'stop',
          'connected',
          'due',
          'held',
          'dropped',
          'consent_missing',
          'consented',
          'removed',
        ] as const
      ).map((kind) => ({ kind })),
      broke(true),
      broke(false),
      broke(true, true),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: event },
            { weight: 2, arbitrary: fc.constant<LifeEvent>({ kind: 'gone' }) },
          ),
          { maxLength: 60 },
        ),
        (events) => {
          let life: Life = idle;
          let alive = 0;
          let closing = false;
          let timer = false;
          for (const one of events) {
            // An end is seen only of what is being ended, a pause is over only once it has begun.
            if (one.kind === 'gone' && !closing) continue;
            if (one.kind === 'due' && !timer) continue;
            if (one.kind === 'gone') {
              alive -= 1;
              closing = false;
            }
            if (one.kind === 'due') timer = false;
            const step = next(life, one);
            life = step.life;
            for (const effect of step.effects) {
              if (effect === 'open') {
                alive += 1;
                assert.ok(!timer, 'no pause goes on beside a start');
              }
              if (effect === 'close') {
                assert.ok(!closing, 'ended once');
                closing = true;
              }
              if (effect === 'back_off') timer = true;
              if (effect === 'forget_back_off') timer = false;
            }
            assert.ok(alive === 0 || alive === 1, `${alive} processes`);
            assert.equal(alive === 1, ['starting', 'ready', 'stopping'].includes(life.kind), life.kind);
            assert.equal(closing, life.kind === 'stopping');
            assert.equal(timer, life.kind === 'backing_off');
            assert.ok(life.restarts <= SERVER_RESTARTS);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
