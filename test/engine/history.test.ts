import assert from 'node:assert/strict';
import { SessionId, type BelayEvent } from '../../protocol';
import { emptyConversation, foldConversation, settle } from '../../host/engine/context';
import { historyFrom } from '../../host/engine/history';
import type { Reader, StoredEvent } from '../../host/engine/ledger';

const SESSION = SessionId.parse('s1');

/** A random number from 0 to below `most`, the same for the same seed. */
const dice = (seed: number) => {
  let state = seed;
  return (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
};

/** A conversation as turns make it, with compactions in it that keep as much as the dice say. */
function story(seed: number): StoredEvent[] {
  const roll = dice(seed);
  const events: StoredEvent[] = [];
  const add = (type: string, data: object, hidden?: StoredEvent['hidden']) =>
    events.push({
      event: { seq: events.length + 1, at: 0, session: SESSION, type, data } as BelayEvent,
      hidden,
    });
  const open: string[] = [];
  for (let n = 0; n < 200; n++) {
    switch (roll(8)) {
      case 0:
        add('message_read', { text: `m${String(n)}` });
        break;
      case 1:
        add('note_told', { text: `n${String(n)}` });
        break;
      case 2:
        add('turn_started', { cause: roll(2) === 0 ? 'continue' : 'message' });
        break;
      case 3: {
        const calls = Array.from({ length: roll(4) }, (_, at) => `c${String(n)}.${String(at)}`);
        open.splice(0, open.length, ...calls);
        const planned = calls.map((callId) => ({ callId, tool: 'read', args: '{}' }));
        add(
          'message_completed',
          { text: roll(3) === 0 ? '' : `a${String(n)}` },
          roll(6) === 0 ? { skip: true } : { calls: planned },
        );
        break;
      }
      case 4:
      case 5:
        for (const callId of open.splice(0, 1 + roll(3)))
          add('tool_completed', { call_id: callId, result: { of: callId }, failed: false });
        break;
      case 6:
        add('usage_recorded', { usage: { inputTokens: n, outputTokens: 1, cachedTokens: 0 } });
        break;
      default: {
        const conversation = emptyConversation();
        foldConversation(conversation, events);
        settle(conversation);
        const kept = roll(Math.min(conversation.items.length, 40));
        if (roll(3) === 0 && conversation.items.length > 2)
          add('compacted', { summary: `s${String(n)}`, kept });
      }
    }
  }
  return events;
}

const readerOf = (events: readonly StoredEvent[]): Reader => ({
  sessionEvents: (_, after) => events.filter(({ event }) => event.seq > after),
  sessionEventsBefore: (_, seq, limit) =>
    events
      .filter(({ event }) => event.seq < seq)
      .reverse()
      .slice(0, limit),
  newestCompaction: () => events.findLast(({ event }) => event.type === 'compacted'),
});

const folded = (events: readonly StoredEvent[], from: number) => {
  const conversation = emptyConversation(from);
  foldConversation(conversation, events);
  settle(conversation);
  return { items: conversation.items, counted: conversation.counted };
};

describe('where a conversation begins', () => {
  it('T7 a fold from the newest compaction on is a fold of the whole', () => {
    let shorter = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const events = story(seed);
      const from = historyFrom(readerOf(events), SESSION);
      assert.deepEqual(folded(events, from), folded(events, 0), `seed ${String(seed)}`);
      if (from > events.length / 2) shorter++;
    }
    assert.ok(shorter > 100, String(shorter));
  });
});
