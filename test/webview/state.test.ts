/** What the page decides by itself: the order of requests, drafts, what a message will do, what it remembers. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Need } from '../../protocol/host';
import { consequence } from '../../webview/state/delivery';
import {
  addContext,
  appendText,
  draftOf,
  EMPTY_DRAFT,
  giveBack,
  withDraft,
} from '../../webview/state/drafts';
import { fateText } from '../../webview/state/fates';
import { newest, readPage, REMEMBERED } from '../../webview/state/persisted';
import { bringToFront, NO_REQUESTS, orderRequests, pageRequests } from '../../webview/state/requestOrder';
import { RequestRefused } from '../../webview/state/values';
import { FakeEditor } from './support/fakeEditor';
import { pause, Story } from './support/story';

function need(id: string, handle?: string): Need {
  return {
    kind: 'question',
    question: {
      id,
      session: 's1',
      turn: 't1',
      call: id,
      tool: 'ask',
      title: id,
      args: {},
      askedAt: 0,
      ...(handle === undefined ? {} : { handle }),
    },
  } as unknown as Need;
}

describe('the order of requests', () => {
  it('keeps the one in front until it ends, then shows the one behind it', () => {
    let order = orderRequests(NO_REQUESTS, [need('a'), need('b')]);
    order = orderRequests(order, [need('a'), need('b'), need('c')]);
    assert.equal(order.front, 'a');
    order = orderRequests(pageRequests(order, 1), [need('a'), need('c')]);
    assert.equal(order.front, 'c');
    order = orderRequests(order, [need('a')]);
    assert.equal(order.front, 'a');
    assert.deepEqual(orderRequests(order, []), { ids: [], front: undefined });
  });

  it('puts a new request before the lifted ones, and moves nothing that is listed', () => {
    let order = orderRequests(NO_REQUESTS, [need('a'), need('b', 'proc:1')]);
    order = orderRequests(order, [need('a'), need('b', 'proc:1'), need('c')]);
    assert.deepEqual(order.ids, ['a', 'c', 'b']);
    order = orderRequests(order, [need('a', 'proc:2'), need('b', 'proc:1'), need('c')]);
    assert.deepEqual(order.ids, ['a', 'c', 'b'], 'a lift does not move it');
  });

  it('never reorders, never loses one, and always has one in front while any waits: the one that was asked for, when it comes', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.uniqueArray(id), fc.boolean(), id)), (rounds) => {
        let order = NO_REQUESTS;
        for (const [ids, paged, wanted] of rounds) {
          const before = order;
          order = orderRequests(
            order,
            ids.map((one) => need(one)),
          );
          assert.deepEqual([...order.ids].sort(), [...ids].sort());
          assert.equal(order.front === undefined, ids.length === 0);
          const stayed = before.ids.filter((one) => (ids as readonly string[]).includes(one));
          assert.deepEqual(
            order.ids.filter((one) => stayed.includes(one)),
            stayed,
          );
          if (before.wanted !== undefined && (ids as readonly string[]).includes(before.wanted))
            assert.equal(order.front, before.wanted);
          else if (before.front !== undefined && (ids as readonly string[]).includes(before.front))
            assert.equal(order.front, before.front);
          order = paged && ids.length > 0 ? pageRequests(order, 1) : bringToFront(order, wanted);
        }
      }),
    );
  });
});

describe('drafts', () => {
  it('are kept by session and gone when empty', () => {
    const drafts = withDraft(withDraft({}, 's1', { ...EMPTY_DRAFT, text: 'one' }), undefined, {
      ...EMPTY_DRAFT,
      text: 'new',
    });
    assert.equal(draftOf(drafts, 's1').text, 'one');
    assert.equal(draftOf(drafts, undefined).text, 'new');
    assert.equal(draftOf(drafts, 's2'), EMPTY_DRAFT);
    assert.deepEqual(Object.keys(withDraft(drafts, 's1', EMPTY_DRAFT)), ['new']);
  });

  it('come back before what was written since, when they could not be sent', () => {
    const written = withDraft({}, 's1', { ...EMPTY_DRAFT, text: 'second' });
    assert.equal(
      draftOf(giveBack(written, 's1', { ...EMPTY_DRAFT, text: 'first' }), 's1').text,
      'first\n\nsecond',
    );
    assert.equal(draftOf(giveBack({}, 's1', { ...EMPTY_DRAFT, text: 'first' }), 's1').text, 'first');
  });

  it('take what is added and nothing twice', () => {
    const file = { kind: 'file', path: 'a.ts' } as const;
    const draft = addContext(addContext(appendText({ ...EMPTY_DRAFT, text: 'look at' }, 'this'), [file]), [
      file,
    ]);
    assert.equal(draft.text, 'look at\nthis');
    assert.deepEqual(draft.context, [file]);
  });
});

describe('what a message will do', () => {
  function after(tell: (story: Story) => unknown, choice: 'steer' | 'queue' = 'steer') {
    const editor = new FakeEditor();
    tell(new Story(editor));
    const transcript = { session: 's1' as never, turns: editor.turns, seq: editor.snapshot.seq };
    return consequence({ snapshot: editor.snapshot, transcript }, 's1', choice)?.key;
  }

  it('says nothing to an idle session', () =>
    assert.equal(
      after((story) => story.begin()),
      undefined,
    ));
  it('is read while the approval stays open', () =>
    assert.equal(
      after((story) => story.begin().ask('go').asksCommand('a1', 'npm test')),
      'composer.line.steerApproval',
    ));
  it('is read while the question stays open', () =>
    assert.equal(
      after((story) => story.begin().ask('go').question('q1', 'Which?')),
      'composer.line.steerAnswer',
    ));
  it('is read while the command goes on', () =>
    assert.equal(
      after((story) =>
        story.begin().ask('go').plan({ id: 'c1', tool: 'shell', title: 'npm test' }).started('c1'),
      ),
      'composer.line.steerCommand',
    ));
  it('is read after the step while the model answers', () =>
    assert.equal(
      after((story) => story.begin().ask('go').stream('I')),
      'composer.line.steerModel',
    ));
  it('is read after the resume while paused', () =>
    assert.equal(
      after((story) => {
        story.begin().ask('go');
        pause(story.editor);
      }),
      'composer.line.steerPaused',
    ));
  it('becomes the next turn when queued', () =>
    assert.equal(
      after((story) => story.begin().ask('go'), 'queue'),
      'composer.line.queue',
    ));
  it('does not count a lifted approval as what is waited for', () =>
    assert.equal(
      after((story) => {
        story.begin().ask('go').asksCommand('a1', 'npm test');
        story.lifted('c-a1', 'proc:1', 'npm test', 'approval').stream('so');
      }),
      'composer.line.steerModel',
    ));
});

describe('the fate of a request', () => {
  const fate = (code: string, data: Record<string, unknown> = {}) =>
    fateText('npm test', new RequestRefused({ message: 'No.', data: { code, ...data } }));

  it('names who answered, and when', () => {
    const at = new Date(2026, 10, 29, 10, 3).getTime();
    assert.match(
      fate('approval_answered', { decision: 'allow', by: 'you from the tree', at }),
      /already allowed by you from the tree at .*10:03/,
    );
  });
  it('calls a lapse a lapse and a withdrawal a withdrawal', () => {
    assert.match(fate('approval_lapsed'), /lapsed/);
    assert.match(fate('approval_withdrawn'), /withdrawn/);
    assert.doesNotMatch(fate('approval_lapsed') + fate('approval_withdrawn'), /denied/);
  });
  it('passes on what it does not know', () => assert.match(fate('store_full'), /No\./));
});

describe('what the page remembers', () => {
  it('reads back what it wrote', () => {
    const state = {
      session: 's1',
      at: 5,
      page: 'p',
      drafts: {
        s1: {
          text: 'x',
          images: [{ mediaType: 'image/png', data: 'AA==' }],
          context: [{ kind: 'file', path: 'a' }],
        },
      },
      outgoing: [{ clientId: 'c', session: 's1', delivery: 'queue', draft: EMPTY_DRAFT }],
      places: { s1: { row: 't1/m1', offset: 3 } },
      cards: { 't1/c1': true },
      choices: { model: 'm', mode: 'edits', folder: '/w' },
      replies: { a1: 'not now' },
    };
    assert.deepEqual(readPage(JSON.parse(JSON.stringify(state))), state);
  });

  it('survives anything that is stored there', () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.dictionary(fc.constantFrom('drafts', 'outgoing', 'places', 'session'), fc.anything()),
        (any, some) => {
          readPage(any);
          readPage(some);
        },
      ),
    );
  });

  it('forgets the oldest of what only grows', () => {
    const many = Object.fromEntries(
      Array.from({ length: REMEMBERED + 5 }, (_, index) => [`k${index}`, index]),
    );
    assert.equal(Object.keys(newest(many)).length, REMEMBERED);
    assert.equal(newest(many)['k0'], undefined);
  });
});
