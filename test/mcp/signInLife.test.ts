import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextSignIn, type SignInEvent, type SignInLife } from '../../host/adapters/mcp/signInLife';

const none: SignInLife = { kind: 'none' };
const begin = (state: string): SignInEvent => ({ kind: 'begin', state });
const prepared: SignInEvent = { kind: 'prepared', state: 'a' };
const answered = (paused = false): SignInEvent => ({ kind: 'answered', state: 'a', code: 'c', paused });
const over = (fate: 'signed_in' | 'expired'): SignInEvent => ({ kind: 'over', state: 'a', fate });

function follow(...events: readonly SignInEvent[]) {
  let life = none;
  const effects: string[] = [];
  for (const event of events) {
    const step = nextSignIn(life, event);
    life = step.life;
    effects.push(...step.effects);
  }
  return { life, effects };
}

describe('mcp: a sign-in as a table', () => {
  const table: readonly [string, readonly SignInEvent[], SignInLife, readonly string[]][] = [
    [
      'comes to a good end',
      [begin('a'), prepared, answered(), over('signed_in')],
      { kind: 'none', last: { state: 'a', fate: 'signed_in' } },
      ['watch', 'unwatch', 'exchange', 'give_up'],
    ],
    [
      'is held by the cord when the browser comes back, and goes on after the release',
      [begin('a'), prepared, answered(true), { kind: 'pulled' }, { kind: 'released' }],
      { kind: 'finishing', state: 'a', code: 'c' },
      ['watch', 'unwatch', 'exchange'],
    ],
    [
      'keeps the code that the cord has kept back',
      [begin('a'), prepared, answered(), { kind: 'kept_back', state: 'a' }],
      { kind: 'held', state: 'a', code: 'c' },
      ['watch', 'unwatch', 'exchange'],
    ],
    [
      'is given up by a pull while it is prepared',
      [begin('a'), { kind: 'pulled' }],
      { kind: 'none', last: { state: 'a', fate: 'cancelled' } },
      ['give_up'],
    ],
    [
      'waits on for the person through a pull',
      [begin('a'), prepared, { kind: 'pulled' }, { kind: 'released' }],
      { kind: 'waiting', state: 'a' },
      ['watch'],
    ],
    [
      'expires',
      [begin('a'), prepared, over('expired')],
      { kind: 'none', last: { state: 'a', fate: 'expired' } },
      ['watch', 'unwatch'],
    ],
    [
      'takes the place of the one under way',
      [begin('b'), begin('a')],
      { kind: 'preparing', state: 'a' },
      ['give_up'],
    ],
    [
      'is not touched by what another one does',
      [begin('b'), prepared, answered()],
      { kind: 'preparing', state: 'b' },
      [],
    ],
  ];
  for (const [name, events, life, effects] of table)
    it(`R9 ${name}`, () => assert.deepEqual(follow(...events), { life, effects }));

  it('R5 R9 exchanges no code twice, has one fate, and ends every time that it began (all histories)', () => {
    const state = fc.constantFrom('a', 'b');
    const event: fc.Arbitrary<SignInEvent> = fc.oneof(
      state.map(begin),
      state.map((of): SignInEvent => ({ kind: 'prepared', state: of })),
      fc
        .tuple(state, fc.boolean())
        .map(([of, paused]): SignInEvent => ({ kind: 'answered', state: of, code: of, paused })),
      state.map((of): SignInEvent => ({ kind: 'kept_back', state: of })),
      state.map((of): SignInEvent => ({ kind: 'over', state: of, fate: 'failed' })),
      fc.constantFrom<SignInEvent>({ kind: 'cancel' }, { kind: 'pulled' }, { kind: 'released' }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let { life } = nextSignIn(none, { kind: 'cancel' });
        let watching = 0;
        for (const one of events) {
          const before = life;
          const { life: after, effects } = nextSignIn(before, one);
          life = after;
          for (const effect of effects) {
            if (effect === 'watch') watching += 1;
            if (effect === 'unwatch') watching -= 1;
            if (effect === 'exchange') {
              assert.ok(before.kind === 'waiting' || before.kind === 'held');
              assert.equal(after.kind, 'finishing');
            }
          }
          assert.equal(
            watching,
            life.kind === 'waiting' ? 1 : 0,
            'the person’s time runs while they are waited for',
          );
          if (before.kind !== 'none' && after.kind === 'none') assert.equal(after.last?.state, before.state);
        }
        assert.equal(nextSignIn(life, { kind: 'cancel' }).life.kind, 'none');
      }),
    );
  });
});
