import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { HarnessOutcome } from '../../host/engine/harnessPort';
import { afterRun, UNTRUSTED_WORDS, type RunLook } from '../../host/engine/turns/agentRun';
import { hasEnded } from '../../host/engine/turns/turn';

const usual: RunLook = {
  status: 'running',
  phase: 'agent',
  resumed: false,
  resumable: true,
  earlier: [],
  asks: false,
  cordPulled: false,
  hostStops: false,
  trusted: true,
  unheard: false,
};
const well = (...killed: string[]): HarnessOutcome => ({ kind: 'completed', killed });
const failed: HarnessOutcome = { kind: 'failed', code: 'agent_failed', detail: 'It broke.' };
const lost: HarnessOutcome = { kind: 'failed', code: 'agent_lost', detail: 'Its process has gone.' };
const stopped: HarnessOutcome = { kind: 'stopped', by: undefined };
const interrupted = { kind: 'end', status: 'interrupted', code: 'cancelled', killed: [] } as const;

/** [what is decided, what is there beside the usual, how the run ended, what follows] */
const TABLE: readonly (readonly [string, Partial<RunLook>, HarnessOutcome, object])[] = [
  ['a good end ends the turn', {}, well(), { kind: 'end', status: 'completed', killed: [] }],
  [
    'H3 killed work gets the one Resume',
    {},
    well('npm run dev'),
    { kind: 'resume', killed: ['npm run dev'] },
  ],
  [
    'H3 and no second one',
    { resumed: true, earlier: ['a'] },
    well('a'),
    { kind: 'end', status: 'completed', killed: ['a'] },
  ],
  [
    'H3 H6 nor one of a conversation that cannot be resumed',
    { resumable: false },
    well('a'),
    { kind: 'end', status: 'completed', killed: ['a'] },
  ],
  [
    'H3 nor one while the host stops',
    { hostStops: true },
    well('a'),
    { kind: 'end', status: 'completed', killed: ['a'] },
  ],
  ['H3 a turn that was interrupted has no killed work', { phase: 'ending' }, well('a'), interrupted],
  ['H4 an interrupt ends it however the run ended', { phase: 'ending' }, failed, interrupted],
  [
    'a failure is the turn\u2019s',
    {},
    failed,
    { kind: 'end', status: 'failed', code: 'agent_failed', detail: 'It broke.', killed: [] },
  ],
  ['H2 a lost process keeps the turn of a request that waits', { asks: true }, lost, { kind: 'park' }],
  [
    'a warm process that was gone before it heard the prompt is replaced',
    { unheard: true },
    lost,
    { kind: 'again' },
  ],
  ['H2 what waits comes before what was not heard', { asks: true, unheard: true }, lost, { kind: 'park' }],
  ['H7 what the cord has stopped goes on after release', { cordPulled: true }, stopped, { kind: 'hold' }],
  ['H7 H2 and what it asked for waits on', { cordPulled: true, asks: true }, stopped, { kind: 'park' }],
  ['a stop of the host is settled by it', { hostStops: true, cordPulled: true }, stopped, { kind: 'leave' }],
  ['and so is what fails with it', { hostStops: true }, lost, { kind: 'leave' }],
  [
    'A11 what lost trust has stopped fails with it',
    { trusted: false },
    stopped,
    { kind: 'end', status: 'failed', code: 'untrusted_workspace', detail: UNTRUSTED_WORDS, killed: [] },
  ],
  ['A11 H2 and what it asked for waits on', { trusted: false, asks: true }, stopped, { kind: 'park' }],
  ['any other stop is an interrupt', {}, stopped, interrupted],
  ['G3 a turn that has ended is left alone', { status: 'failed' }, lost, { kind: 'nothing' }],
];

describe('what becomes of a turn when a run of its outside agent is over', () => {
  for (const [title, look, outcome, follows] of TABLE)
    it(title, () => assert.deepEqual(afterRun({ ...usual, ...look }, outcome), follows));

  it('H3 a later failure names the killed work as its cause', () => {
    const after = afterRun({ ...usual, earlier: ['npm test', 'agent wait'] }, failed);
    assert.ok(after.kind === 'end' && after.status === 'failed');
    assert.match(after.detail ?? '', /npm test; agent wait.*killed\. Then: It broke\.$/);
  });

  it('G1 G2 G3 in every state: an answer, at most one Resume, and none for what was interrupted', () => {
    const looks = fc.record<RunLook>({
      status: fc.constantFrom(
        'queued',
        'running',
        'waiting',
        'paced',
        'paused',
        'completed',
        'failed',
        'interrupted',
      ),
      phase: fc.constantFrom('model', 'calls', 'agent', 'ending'),
      resumed: fc.boolean(),
      resumable: fc.boolean(),
      earlier: fc.subarray(['a', 'b']),
      asks: fc.boolean(),
      cordPulled: fc.boolean(),
      hostStops: fc.boolean(),
      trusted: fc.boolean(),
      unheard: fc.boolean(),
    });
    const outcomes = fc.constantFrom(well(), well('a'), failed, lost, stopped);
    fc.assert(
      fc.property(looks, outcomes, (look, outcome) => {
        const after = afterRun(look, outcome);
        if (hasEnded(look.status)) return after.kind === 'nothing';
        if (look.phase === 'ending') return after.kind === 'end' && after.status === 'interrupted';
        if (after.kind === 'resume') return !look.resumed && look.resumable && after.killed.length > 0;
        const mustWait =
          look.asks &&
          !look.hostStops &&
          (outcome === lost || (outcome === stopped && (look.cordPulled || !look.trusted)));
        return mustWait ? after.kind === 'park' : after.kind !== 'nothing';
      }),
    );
  });
});
