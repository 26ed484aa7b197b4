import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextApproval, type ApprovalEvent, type ApprovalState } from '../../host/engine/approvals/approval';
import { nextCall, type CallEvent } from '../../host/engine/calls/call';
import { nextHandle, type HandleEvent, type HandleState } from '../../host/engine/handles/handle';
import { createSchedule } from '../../host/engine/schedule';
import { hasEnded, nextTurn, type TurnEvent } from '../../host/engine/turns/turn';
import type { CallStatus } from '../../host/engine/records';
import type { TurnStatus } from '../../protocol';
import { HandClock } from '../store/support';

/** Folds every event on every state, and any number of them: an end is reached once and never left (R5). */
function checkMachine<S extends string, E extends string>(
  name: string,
  next: (state: S, event: E) => S,
  machine: { states: readonly S[]; events: readonly E[]; ends: readonly S[]; start: S },
): void {
  describe(`the life of ${name}`, () => {
    it('R5 R9 is total: every event on every state gives a state, and an end stays', () => {
      for (const state of machine.states)
        for (const event of machine.events) {
          const after = next(state, event);
          assert.ok(machine.states.includes(after), `${state} ${event}`);
          if (machine.ends.includes(state)) assert.equal(after, state);
        }
    });

    it('R9 a repeated event changes nothing more', () => {
      for (const state of machine.states)
        for (const event of machine.events) assert.equal(next(next(state, event), event), next(state, event));
    });

    it('R5 any history ends at most once', () => {
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...machine.events)), (events) => {
          let state = machine.start;
          let ends = 0;
          for (const event of events) {
            const after = next(state, event);
            if (machine.ends.includes(after) && !machine.ends.includes(state)) ends++;
            state = after;
          }
          return ends <= 1;
        }),
      );
    });
  });
}

checkMachine<CallStatus, CallEvent>('a call', nextCall, {
  states: ['planned', 'asking', 'allowed', 'running', 'done'],
  events: ['asked', 'allowed', 'started', 'settled'],
  ends: ['done'],
  start: 'planned',
});
checkMachine<TurnStatus, TurnEvent>('a turn', nextTurn, {
  states: ['queued', 'running', 'waiting', 'paced', 'paused', 'completed', 'failed', 'interrupted'],
  events: ['parked', 'paced', 'paused', 'resumed', 'completed', 'failed', 'interrupted'],
  ends: ['completed', 'failed', 'interrupted'],
  start: 'running',
});
checkMachine<ApprovalState, ApprovalEvent>('a request', nextApproval, {
  states: ['open', 'allowed', 'denied', 'lapsed', 'withdrawn'],
  events: ['allowed', 'denied', 'lapsed', 'withdrawn'],
  ends: ['allowed', 'denied', 'lapsed', 'withdrawn'],
  start: 'open',
});
checkMachine<HandleState, HandleEvent>('a handle', nextHandle, {
  states: ['waiting', 'held', 'running', 'ended'],
  events: ['asked', 'held', 'started', 'ended'],
  ends: ['ended'],
  start: 'waiting',
});

describe('the tables', () => {
  it('a call that asks has not started, and only an allow lets it start (R3)', () => {
    assert.equal(nextCall('asking', 'started'), 'asking');
    assert.equal(nextCall('asking', 'allowed'), 'allowed');
    assert.equal(nextCall('allowed', 'started'), 'running');
    assert.equal(nextCall('allowed', 'asked'), 'asking', 'announced again: its verdict is dropped (A4)');
    assert.equal(nextCall('running', 'asked'), 'running');
  });

  it('a parked turn is not paced, and a paused one goes on only by a release', () => {
    assert.equal(nextTurn('waiting', 'paced'), 'waiting');
    assert.equal(nextTurn('paused', 'parked'), 'paused');
    assert.equal(nextTurn('paused', 'resumed'), 'running');
    assert.ok(hasEnded('failed') && !hasEnded('paced'));
  });
});

describe('the one schedule', () => {
  it('R8 fires in the order of time, forgets what was cleared, and has one timer or none', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            key: fc.integer({ min: 0, max: 9 }),
            in: fc.integer({ min: 0, max: 500 }),
            clear: fc.boolean(),
          }),
          { maxLength: 40 },
        ),
        (steps) => {
          const clock = new HandClock();
          const start = clock.now();
          const schedule = createSchedule(clock);
          const expected = new Map<string, number>();
          const fired: [string, number][] = [];
          for (const step of steps) {
            const key = String(step.key);
            if (step.clear) {
              schedule.clear(key);
              expected.delete(key);
            } else {
              schedule.set(key, start + step.in, () => fired.push([key, clock.now() - start]));
              expected.set(key, step.in);
            }
            assert.ok(clock.armed <= 1);
          }
          clock.advance(1000);
          assert.deepEqual(new Map(fired), expected);
          assert.deepEqual(
            fired.map(([, at]) => at),
            [...fired.map(([, at]) => at)].sort((a, b) => a - b),
          );
          assert.equal(clock.armed, 0);
          assert.equal(schedule.size, 0);
        },
      ),
    );
  });
});
