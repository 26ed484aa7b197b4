/** The page's copy of the host: it folds in order, notices what is missing, and ends up equal to the host. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TRANSIENT, type BelayEvent } from '../../protocol/events';
import type { SessionId } from '../../protocol/ids';
import type { Method } from '../../protocol/methods';
import {
  foldEvent,
  foldTranscript,
  TRANSIENT_TYPES,
  trimTurns,
  TURNS_KEPT,
  type Mirror,
  type Transcript,
} from '../../webview/state/mirror';
import { Sync, type Ask } from '../../webview/state/sync';
import { FakeEditor } from './support/fakeEditor';
import { Story } from './support/story';

const S1 = 's1' as SessionId;
const S2 = 's2' as SessionId;

describe('the mirror', () => {
  it('knows the same passing events as the protocol', () => {
    assert.deepEqual([...TRANSIENT_TYPES].sort(), [...TRANSIENT].sort());
  });

  it('folds a stored event once and calls a missing one a gap', () => {
    const { events, editor } = recorded((story) => story.begin().ask('go').said('done'));
    const empty: Mirror = { snapshot: { ...editor.snapshot, seq: 0, sessions: [], unread: [] } };
    const [first, second, third] = events;
    assert.ok(first && second && third);
    const one = foldEvent(empty, first);
    assert.ok(one !== 'gap');
    assert.equal(foldEvent(one, first), one, 'the same event again changes nothing');
    assert.equal(foldEvent(one, third), 'gap');
    const passing = { ...third, type: 'text_delta', data: { step: 0, text: 'x' }, seq: 9 } as BelayEvent;
    assert.equal(foldEvent(one, passing), 'gap', 'a delta that knows a newer stored event tells of the loss');
  });

  it('leaves what a transcript that was just read holds already', () => {
    const { editor, events } = recorded((story) => story.begin().ask('go').said('done'));
    const read: Transcript = { session: S1, turns: editor.turns, seq: editor.snapshot.seq };
    assert.equal(events.reduce(foldTranscript, read), read);
  });

  it('lets go of the oldest turns of a long session, and knows where they ended', () => {
    const { editor } = recorded((story) => {
      story.begin();
      for (let turn = 0; turn < 120; turn++) story.ask(`go ${turn}`).said('done').ended('completed');
    });
    const trimmed = trimTurns({ session: S1, turns: editor.turns, seq: 1 });
    assert.equal(trimmed.turns.length, TURNS_KEPT);
    assert.equal(trimmed.older, trimmed.turns[0]?.turn);
  });
});

describe('the subscription', () => {
  it('asks for the lists and then for the shown session, and folds what comes after', () => {
    const host = new Host();
    host.story.begin();
    host.sync.show(S1);
    host.sync.subscribe();
    assert.deepEqual(host.waiting(), ['events/subscribe']);
    host.settle();
    assert.deepEqual(host.waiting(), ['transcript/read']);
    host.settle();
    host.story.ask('go').stream('on');
    assert.deepEqual(host.mirror?.transcript?.turns, host.editor.turns);
  });

  it('drops the reply for a session that is no longer shown', () => {
    const host = new Host();
    host.story.begin();
    host.other.begin('Add tests');
    host.sync.show(S1);
    host.sync.subscribe();
    host.settle();
    host.sync.show(S2);
    host.settle();
    host.settle();
    assert.equal(host.mirror?.transcript?.session, S2);
  });

  it('subscribes again after a gap, and keeps what it showed until then', () => {
    const host = new Host();
    host.live();
    host.story.ask('go');
    host.losing = true;
    host.story.said('lost');
    host.losing = false;
    host.story.plan({ id: 'c1', tool: 'shell', title: 'npm test' });
    assert.deepEqual(host.waiting(), ['events/subscribe']);
    assert.equal(host.mirror?.transcript?.turns.length, 1);
    host.settleAll();
    assert.deepEqual(host.mirror.transcript.turns, host.editor.turns);
  });

  it('puts older turns before the newer ones, each once', () => {
    const host = new Host();
    host.editor.pageSize = 16;
    host.story.begin();
    for (let turn = 0; turn < 40; turn++) host.story.ask(`go ${turn}`).ended('completed');
    host.live();
    host.sync.older();
    host.story.ask('meanwhile');
    host.settle();
    host.sync.older();
    host.settle();
    const shown = host.mirror?.transcript;
    assert.deepEqual(shown?.turns, host.editor.turns);
    assert.equal(shown.older, undefined);
  });

  it('equals the host after any order of events, losses, late replies and changes of session', () => {
    const step = fc.constantFrom(
      'event',
      'delta',
      'lose',
      'settle',
      'subscribe',
      'show1',
      'show2',
      'none',
      'older',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const host = new Host();
        host.story.begin();
        host.other.begin('Add tests');
        host.sync.show(S1);
        host.sync.subscribe();
        for (const what of steps) host.step(what);
        host.sync.show(S1);
        host.settleAll();
        host.story.ask('the end').said('seen');
        host.settleAll();
        assert.deepEqual(host.mirror?.snapshot, host.editor.snapshot);
        const shown = host.mirror.transcript?.turns ?? [];
        const all = host.editor.turns.filter((turn) => turn.session === S1);
        assert.deepEqual(shown, all.slice(-shown.length));
        assert.ok(shown.length >= Math.min(all.length, 16));
      }),
      { numRuns: 200 },
    );
  });
});

/** A host whose replies a test lets go one by one, and whose events it may lose. */
class Host {
  readonly editor = new FakeEditor();
  readonly story = new Story(this.editor, S1);
  readonly other = new Story(this.editor, S2);
  mirror: Mirror | undefined;
  losing = false;
  readonly sync: Sync;
  readonly #waiting: { readonly method: Method; readonly settle: () => void }[] = [];
  #turns = 0;

  constructor() {
    let next = 0;
    const replies = new Map<number, (result: unknown) => void>();
    const ask: Ask = (method, params, settled) => {
      const id = ++next;
      replies.set(id, settled as (result: unknown) => void);
      const settle = () => this.editor.hear({ type: 'request', id, method, params });
      this.#waiting.push({ method, settle });
    };
    this.editor.attach((message) => {
      if (message.type === 'event' && !this.losing) this.sync.event(message.event);
      if (message.type === 'reply' && 'result' in message) replies.get(message.id)?.(message.result);
    });
    this.sync = new Sync(ask, {
      mirror: (mirror) => (this.mirror = mirror),
      folded: () => undefined,
      loadingOlder: () => undefined,
      failed: () => undefined,
      atEnd: () => true,
    });
  }

  live(): void {
    if (this.editor.snapshot.sessions.length === 0) this.story.begin();
    this.sync.show(S1);
    this.sync.subscribe();
    this.settleAll();
  }

  waiting(): readonly Method[] {
    return this.#waiting.map((one) => one.method);
  }

  settle(): void {
    this.#waiting.shift()?.settle();
  }

  settleAll(): void {
    while (this.#waiting.length > 0) this.settle();
  }

  step(what: string): void {
    const story = this.#turns % 3 === 2 ? this.other : this.story;
    switch (what) {
      case 'event':
        this.#turns++;
        story.ask(`go ${this.#turns}`).said('done').ended('completed');
        return;
      case 'delta':
        if (story.turn !== '') story.stream('…');
        return;
      case 'lose':
        this.losing = true;
        story.ask('lost');
        this.losing = false;
        return;
      case 'settle':
        return this.settle();
      case 'subscribe':
        return this.sync.subscribe();
      case 'show1':
        return this.sync.show(S1);
      case 'show2':
        return this.sync.show(S2);
      case 'none':
        return this.sync.show(undefined);
      case 'older':
        return this.sync.older();
    }
  }
}

function recorded(tell: (story: Story) => unknown): { editor: FakeEditor; events: readonly BelayEvent[] } {
  const editor = new FakeEditor();
  const events: BelayEvent[] = [];
  editor.attach((message) => {
    if (message.type === 'event') events.push(message.event);
  });
  tell(new Story(editor));
  return { editor, events };
}
