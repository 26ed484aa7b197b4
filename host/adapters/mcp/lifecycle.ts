/**
 * The life of one server as a table (M3). Pure: what is to be done comes back as effects.
 *
 * 1. `open` comes only where no process of this server is left: what ends one waits for `gone` first.
 * 2. A server that ends by itself is started again after a pause, `SERVER_RESTARTS` times; what a person says
 *    begins the count anew.
 * 3. What a person has stopped, and what has failed for good, is started by a person alone.
 */
import { SERVER_RESTARTS } from '../../../protocol';

/** What comes once the process has been seen gone. */
export type After =
  | 'idle'
  | 'needs_consent'
  | 'needs_sign_in'
  | 'needs_input'
  | 'start'
  | 'back_off'
  | 'stopped'
  | 'failed'
  | 'removed';

/** Without a person it cannot start. */
export type Lack = 'needs_sign_in' | 'needs_input';

export type Life =
  | { readonly kind: 'needs_consent' | 'idle' | 'stopped' | 'removed' | Lack; readonly restarts: 0 }
  | { readonly kind: 'starting' | 'ready' | 'backing_off' | 'failed'; readonly restarts: number }
  | { readonly kind: 'stopping'; readonly restarts: number; readonly then: After };

export type LifeEvent =
  /** A session needs its tools, or a call needs it. */
  | { readonly kind: 'wanted' }
  /** The person's word. */
  | { readonly kind: 'start' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'connected' }
  /**
   * It could not be started, or has ended by itself; `retry` says whether another start can help, `lacks` what a
   * person must do before one can.
   */
  | { readonly kind: 'broke'; readonly retry: boolean; readonly stable: boolean; readonly lacks?: Lack }
  /** The pause before the next start is over. */
  | { readonly kind: 'due' }
  /** Nothing of its process is left. */
  | { readonly kind: 'gone' }
  /** Its process could not be ended: nothing more is started beside it. */
  | { readonly kind: 'stuck' }
  /** Its configuration or the trust in the workspace has changed: what lives is ended, and a need starts it again. */
  | { readonly kind: 'dropped' }
  /** The cord was pulled while it was being started, or when it was to be. */
  | { readonly kind: 'held' }
  /** Nobody has allowed this configuration, or the person has. */
  | { readonly kind: 'consent_missing' }
  | { readonly kind: 'consented' }
  | { readonly kind: 'removed' };

export type LifeEffect = 'open' | 'close' | 'back_off' | 'forget_back_off';

export interface Step {
  readonly life: Life;
  readonly effects: readonly LifeEffect[];
}

const same = (life: Life): Step => ({ life, effects: [] });
const rest = (kind: 'needs_consent' | 'idle' | 'stopped' | 'removed' | Lack): Life => ({ kind, restarts: 0 });
const open = (restarts: number): Step => ({ life: { kind: 'starting', restarts }, effects: ['open'] });
const close = (restarts: number, then: After): Step => ({
  life: { kind: 'stopping', restarts, then },
  effects: ['close'],
});

export function next(life: Life, event: LifeEvent): Step {
  switch (life.kind) {
    case 'removed':
      return same(life);
    case 'needs_consent':
      return event.kind === 'consented' ? same(rest('idle')) : atRest(life, event);
    case 'idle':
      return event.kind === 'wanted' ? open(0) : atRest(life, event);
    case 'failed':
    case 'needs_sign_in':
    case 'needs_input':
      return event.kind === 'dropped' ? same(rest('idle')) : atRest(life, event);
    case 'stopped':
      return atRest(life, event);
    case 'backing_off':
      return backingOff(life, event);
    case 'starting':
    case 'ready':
      return alive(life, event);
    case 'stopping':
      return stopping(life, event);
  }
}

/** There is no process, and none is to come. */
function atRest(life: Life, event: LifeEvent): Step {
  switch (event.kind) {
    case 'start':
    case 'restart':
      return life.kind === 'needs_consent' ? same(life) : open(0);
    case 'stop':
      return same(life.kind === 'needs_consent' ? life : rest('stopped'));
    case 'consent_missing':
      return same(rest('needs_consent'));
    case 'removed':
      return same(rest('removed'));
    default:
      return same(life);
  }
}

function backingOff(life: Life, event: LifeEvent): Step {
  switch (event.kind) {
    case 'due':
      return open(life.restarts);
    case 'start':
    case 'restart':
      return { ...open(0), effects: ['forget_back_off', 'open'] };
    case 'held':
    case 'dropped':
      return { life: rest('idle'), effects: ['forget_back_off'] };
    case 'stop':
      return { life: rest('stopped'), effects: ['forget_back_off'] };
    case 'consent_missing':
      return { life: rest('needs_consent'), effects: ['forget_back_off'] };
    case 'removed':
      return { life: rest('removed'), effects: ['forget_back_off'] };
    default:
      return same(life);
  }
}

function alive(life: Life, event: LifeEvent): Step {
  switch (event.kind) {
    case 'connected':
      return same({ kind: 'ready', restarts: life.restarts });
    case 'broke': {
      if (event.lacks !== undefined) return close(0, event.lacks);
      const restarts = event.stable ? 0 : life.restarts;
      return close(restarts, event.retry && restarts < SERVER_RESTARTS ? 'back_off' : 'failed');
    }
    case 'held':
      return life.kind === 'starting' ? close(life.restarts, 'idle') : same(life);
    case 'dropped':
      return close(0, 'idle');
    case 'stop':
      return close(0, 'stopped');
    case 'restart':
      return close(0, 'start');
    case 'consent_missing':
      return close(0, 'needs_consent');
    case 'removed':
      return close(0, 'removed');
    default:
      return same(life);
  }
}

function stopping(life: Extract<Life, { kind: 'stopping' }>, event: LifeEvent): Step {
  const then = (after: After): Step =>
    same(life.then === 'removed' ? life : { kind: 'stopping', restarts: 0, then: after });
  switch (event.kind) {
    case 'gone':
      return afterGone(life);
    case 'stuck':
      return same(life.then === 'removed' ? rest('removed') : { kind: 'failed', restarts: life.restarts });
    case 'wanted':
      return life.then === 'idle' ? then('start') : same(life);
    case 'start':
    case 'restart':
      return life.then === 'needs_consent' ? same(life) : then('start');
    case 'stop':
      return life.then === 'needs_consent' ? same(life) : then('stopped');
    case 'held':
    case 'dropped':
      return life.then === 'start' || life.then === 'back_off' ? then('idle') : same(life);
    case 'consent_missing':
      return then('needs_consent');
    case 'consented':
      return life.then === 'needs_consent' ? then('idle') : same(life);
    case 'removed':
      return then('removed');
    default:
      return same(life);
  }
}

function afterGone(life: Extract<Life, { kind: 'stopping' }>): Step {
  switch (life.then) {
    case 'start':
      return open(life.restarts);
    case 'back_off':
      return { life: { kind: 'backing_off', restarts: life.restarts + 1 }, effects: ['back_off'] };
    case 'failed':
      return same({ kind: 'failed', restarts: life.restarts });
    case 'idle':
    case 'needs_consent':
    case 'needs_sign_in':
    case 'needs_input':
    case 'stopped':
    case 'removed':
      return same(rest(life.then));
  }
}
