/**
 * A sign-in to one server as a table. Pure: what is to be done comes back as effects.
 *
 * 1. One sign-in is under way at a time; a new one takes the place of the old one, and an event that names another
 *    state than its own changes nothing (R9).
 * 2. A code is exchanged once: it comes out of `waiting` alone, and goes back to `held` only when the cord has kept
 *    its request from leaving.
 * 3. Every sign-in reaches one fate, which is known until the next one begins (R5).
 */
export type SignInFate = 'signed_in' | 'refused' | 'expired' | 'cancelled' | 'failed';

export type SignInLife =
  | { readonly kind: 'none'; readonly last?: { readonly state: string; readonly fate: SignInFate } }
  /** The authorization server is being found, and this client registered there. */
  | { readonly kind: 'preparing'; readonly state: string }
  /** The person is in the browser. */
  | { readonly kind: 'waiting'; readonly state: string }
  /** The browser has come back while everything is paused. */
  | { readonly kind: 'held'; readonly state: string; readonly code: string }
  | { readonly kind: 'finishing'; readonly state: string; readonly code: string };

export type SignInEvent =
  | { readonly kind: 'begin'; readonly state: string }
  | { readonly kind: 'prepared'; readonly state: string }
  | { readonly kind: 'answered'; readonly state: string; readonly code: string; readonly paused: boolean }
  /** The cord has kept the exchange from leaving: nothing was sent. */
  | { readonly kind: 'kept_back'; readonly state: string }
  | { readonly kind: 'over'; readonly state: string; readonly fate: SignInFate }
  | { readonly kind: 'cancel' }
  /** The cord was pulled. */
  | { readonly kind: 'pulled' }
  | { readonly kind: 'released' };

/** `give_up` ends the request that is on its way, `watch` begins the person's time and `unwatch` ends it. */
export type SignInEffect = 'give_up' | 'watch' | 'unwatch' | 'exchange';

export interface SignInStep {
  readonly life: SignInLife;
  readonly effects: readonly SignInEffect[];
}

export function nextSignIn(life: SignInLife, event: SignInEvent): SignInStep {
  switch (event.kind) {
    case 'begin':
      return { life: { kind: 'preparing', state: event.state }, effects: effectsOfEnd(life) };
    case 'cancel':
      return life.kind === 'none' ? same(life) : ended(life, 'cancelled');
    case 'pulled':
      return life.kind === 'preparing' ? ended(life, 'cancelled') : same(life);
    case 'released':
      return life.kind === 'held' ? exchange(life) : same(life);
    default:
      return life.kind === 'none' || life.state !== event.state ? same(life) : underWay(life, event);
  }
}

type UnderWay = Exclude<SignInLife, { kind: 'none' }>;
type Own = Extract<SignInEvent, { readonly kind: 'prepared' | 'answered' | 'kept_back' | 'over' }>;

function underWay(life: UnderWay, event: Own): SignInStep {
  const { state } = life;
  switch (event.kind) {
    case 'prepared':
      return life.kind === 'preparing'
        ? { life: { kind: 'waiting', state }, effects: ['watch'] }
        : same(life);
    case 'answered': {
      if (life.kind !== 'waiting') return same(life);
      if (event.paused) return { life: { kind: 'held', state, code: event.code }, effects: ['unwatch'] };
      const step = exchange({ kind: 'held', state, code: event.code });
      return { ...step, effects: ['unwatch', ...step.effects] };
    }
    case 'kept_back':
      return life.kind === 'finishing'
        ? { life: { kind: 'held', state, code: life.code }, effects: [] }
        : same(life);
    case 'over':
      return ended(life, event.fate);
  }
}

const same = (life: SignInLife): SignInStep => ({ life, effects: [] });

const exchange = ({ state, code }: Extract<SignInLife, { kind: 'held' }>): SignInStep => ({
  life: { kind: 'finishing', state, code },
  effects: ['exchange'],
});

const ended = (life: UnderWay, fate: SignInFate): SignInStep => ({
  life: { kind: 'none', last: { state: life.state, fate } },
  effects: effectsOfEnd(life),
});

function effectsOfEnd(life: SignInLife): readonly SignInEffect[] {
  switch (life.kind) {
    case 'none':
    case 'held':
      return [];
    case 'waiting':
      return ['unwatch'];
    case 'preparing':
    case 'finishing':
      return ['give_up'];
  }
}
