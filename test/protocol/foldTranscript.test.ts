import assert from 'node:assert/strict';
import { foldTranscript, reduceTranscript, type BelayEvent, type TurnView } from '../../protocol';

/** A turn whose one call makes so many steps: three events each. */
function eventsOf(steps: number): BelayEvent[] {
  const events: object[] = [
    { type: 'turn_started', data: { turn: 't1', model: 'm/m', cause: 'message' } },
    {
      type: 'calls_planned',
      data: { step: 0, calls: [{ call_id: 'c1', tool: 'exec', title: 'c1', args: {} }] },
    },
    { type: 'tool_started', data: { call_id: 'c1', tool: 'exec', title: 'c1' } },
  ];
  for (let n = 1; n <= steps; n++) {
    const call_id = `c1.${n}`;
    const call = { call_id, parent: 'c1', tool: 'read', title: call_id, args: { n } };
    events.push(
      { type: 'calls_planned', data: { step: 0, calls: [call] } },
      { type: 'tool_started', data: { call_id, parent: 'c1', tool: 'read', title: call_id } },
      { type: 'tool_completed', data: { call_id, parent: 'c1', tool: 'read', result: { n }, failed: false } },
    );
  }
  events.push(
    {
      type: 'tool_completed',
      data: { call_id: 'c1', tool: 'exec', result: { class: 'completed' }, failed: false },
    },
    { type: 'turn_ended', data: { turn: 't1', status: 'completed', usage: {} } },
  );
  return events.map(
    (event, index) => ({ seq: index + 1, at: index, session: 's1', turn: 't1', ...event }) as BelayEvent,
  );
}

const oneByOne = (events: readonly BelayEvent[]): readonly TurnView[] =>
  events.reduce<readonly TurnView[]>((turns, event) => reduceTranscript(turns, event), []);

describe('the fold of a transcript', () => {
  it('A8 gives the same whether events come one by one or all at once', () => {
    const events = eventsOf(200);
    const folded = foldTranscript(events);
    assert.deepEqual(folded, oneByOne(events));
    assert.equal(folded[0]?.parts.length, 201);
    assert.ok(folded[0]?.parts.every((part) => part.kind === 'call' && part.state === 'completed'));
  });

  it('T7 T9 knows what the newest request held, and forgets it when the conversation is summed up', () => {
    const usage = { inputTokens: 70, outputTokens: 5, cachedTokens: 60 };
    const used = { type: 'usage_recorded', data: { step: 1, model: 'p/a', usage } };
    const summedUp = { type: 'compacted', data: { summary: 's', step: 2, kept: 0 } };
    const started = eventsOf(0).slice(0, 1);
    const after = (...more: readonly object[]) =>
      foldTranscript([
        ...started,
        ...more.map((one, n) => ({ seq: n + 2, at: n, session: 's1', turn: 't1', ...one }) as BelayEvent),
      ])[0]?.context;
    assert.deepEqual(after(used), { model: 'p/a', tokens: 75 });
    assert.equal(after(used, summedUp), undefined);
    assert.deepEqual(after(used, summedUp, used), { model: 'p/a', tokens: 75 });
  });

  it('changes no turn that was handed out before', () => {
    const events = eventsOf(3);
    const seen: string[] = [];
    const held: (readonly TurnView[])[] = [];
    let turns: readonly TurnView[] = [];
    for (const event of events) {
      turns = reduceTranscript(turns, event);
      held.push(turns);
      seen.push(JSON.stringify(turns));
    }
    assert.deepEqual(
      held.map((one) => JSON.stringify(one)),
      seen,
    );
    // An earlier state is folded on by itself.
    assert.deepEqual(reduceTranscript(held[3] ?? [], events[4]!), held[4]);
  });

  it('takes time in proportion to the calls of a turn: 10,000 steps, and not a hundred times a hundred’s', () => {
    const took = (steps: number) => {
      const events = eventsOf(steps);
      const start = process.cpuUsage();
      foldTranscript(events);
      const { user } = process.cpuUsage(start);
      return user;
    };
    took(1_000);
    const small = Math.max(took(1_000), took(1_000), 1_000);
    assert.ok(
      Math.min(took(10_000), took(10_000)) < 40 * small,
      'ten times the steps, far less than a hundred times the time',
    );
  });
});
