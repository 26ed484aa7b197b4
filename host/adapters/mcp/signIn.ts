/**
 * The sign-in to one server over HTTP: from a person's click to its tokens.
 *
 * Owns the one that is under way, which lives in memory alone: what a restart cuts off is wanted again, and no half of
 * it is left. Does not own the browser: the client opens the address, and brings what the browser comes back with.
 * 1. Nothing goes to an authorization server before a person's click, and everything inside a launch of now (P2).
 * 2. A pull gives up what is being prepared; what the browser brings meanwhile is exchanged after the release.
 */
import { randomBytes } from 'node:crypto';
import { SIGN_IN_MS, SIGN_IN_STEP_MS, type SignInAnswer, say } from '../../../protocol';
import type { Timer } from '../../base/clock';
import { CordPulled } from '../../base/launch';
import { RequestError } from '../../engine/errors';
import type { Account } from './account';
import { SignInRefused } from './errors';
import type { Kept, OwnClient, Prepared } from './oauth';
import type { ServersNeed } from './room';
import { nextSignIn, type SignInEvent, type SignInFate, type SignInLife } from './signInLife';
import { within } from './within';
import { brief, sentence } from './words';

/** 256 bit: nobody guesses it, so what names it comes from a browser that this host has sent. */
const STATE_BYTES = 32;

interface UnderWay {
  readonly account: Account;
  readonly own: OwnClient | undefined;
  readonly redirectUri: string;
  readonly giveUp: AbortController;
  prepared?: Prepared;
  issuer?: string | undefined;
  /** Who waits for its end. */
  settled: (error: Error | undefined) => void;
}

export class SignIn {
  private life: SignInLife = { kind: 'none' };
  private current: UnderWay | undefined;
  private limit: Timer | undefined;

  constructor(
    private readonly name: () => string,
    private readonly need: ServersNeed,
    /** It has changed; `signedIn` when it has come to a good end. */
    private readonly changed: (signedIn: boolean) => void,
  ) {}

  get isUnderWay(): boolean {
    return this.life.kind !== 'none';
  }

  /** Whether this state is, or was last, one of this server. */
  knows(state: string): boolean {
    return state === (this.life.kind === 'none' ? this.life.last?.state : this.life.state);
  }

  /** The address that the person is to open. Rejects with a `RequestError`. */
  async begin(account: Account, own: OwnClient | undefined, redirectUri: string): Promise<string> {
    const state = randomBytes(STATE_BYTES).toString('base64url');
    this.tell({ kind: 'begin', state });
    const current: UnderWay = {
      account,
      own,
      redirectUri,
      giveUp: new AbortController(),
      settled: () => undefined,
    };
    this.current = current;
    try {
      const prepared = await this.prepared(current, state);
      current.prepared = prepared;
      this.tell({ kind: 'prepared', state });
      if (this.life.kind !== 'waiting' || this.life.state !== state) throw this.fateOf(state);
      return prepared.url;
    } catch (error) {
      if (error instanceof CordPulled || this.need.cord.pulled)
        throw this.end(state, 'cancelled', new RequestError('host_paused', say('Paused: resume first.')));
      if (error instanceof RequestError) throw error;
      if (!this.isOf(state)) throw this.fateOf(state);
      throw this.end(state, 'failed', this.failure(error));
    }
  }

  /**
   * What the browser has come back with. Resolves when the sign-in has come to its end, or is held by the cord;
   * rejects with a `RequestError` that says why it came to nothing.
   */
  async answer({ state, code, error, errorDescription, issuer }: SignInAnswer): Promise<void> {
    if (!this.isOf(state)) throw this.fateOf(state);
    const { current } = this;
    if (current === undefined || this.life.kind !== 'waiting') throw unknown();
    if (code === undefined || error !== undefined) {
      const why = brief(errorDescription ?? error ?? 'no code was given');
      const isNo = error === 'access_denied';
      throw this.end(
        state,
        isNo ? 'refused' : 'failed',
        isNo
          ? new RequestError(
              'sign_in_refused',
              say('The sign-in to {name} was refused: {why}.', { name: this.name(), why }),
            )
          : this.failure(new Error(`${why}.`)),
      );
    }
    current.issuer = issuer;
    const over = new Promise<Error | undefined>((resolve) => (current.settled = resolve));
    this.tell({ kind: 'answered', state, code, paused: this.need.cord.pulled });
    const failure = this.isHeld() ? undefined : await over;
    if (failure !== undefined) throw failure;
  }

  cancel(): void {
    this.tell({ kind: 'cancel' });
  }

  pulled(): void {
    this.tell({ kind: 'pulled' });
  }

  released(): void {
    this.tell({ kind: 'released' });
  }

  private tell(event: SignInEvent): void {
    const before = this.life;
    const step = nextSignIn(before, event);
    this.life = step.life;
    for (const effect of step.effects)
      switch (effect) {
        case 'give_up':
          this.current?.giveUp.abort(new Error('The sign-in was given up.'));
          break;
        case 'watch':
          this.watch();
          break;
        case 'unwatch':
          this.limit?.clear();
          break;
        case 'exchange':
          this.exchange();
      }
    if (before === this.life) return;
    if (this.life.kind === 'none') this.current = undefined;
    this.changed(this.life.kind === 'none' && this.life.last?.fate === 'signed_in');
  }

  private prepared(current: UnderWay, state: string): Promise<Prepared> {
    const { account, own, redirectUri, giveUp } = current;
    const launch = this.need.cord.launch();
    return within(
      this.need.clock,
      SIGN_IN_STEP_MS,
      async (signal) => {
        const { prepare } = await import('./oauth');
        const { url: serverUrl, challenge, registration: kept } = account;
        const wanted = { serverUrl, redirectUri, state, challenge, own, kept };
        return prepare(wanted, { web: this.need.web, launch, signal });
      },
      giveUp.signal,
    );
  }

  private watch(): void {
    const { life } = this;
    if (life.kind !== 'waiting') return;
    const { state } = life;
    const ms = this.need.settings().limits?.signInMs ?? SIGN_IN_MS;
    this.limit = this.need.clock.after(ms, () => this.tell({ kind: 'over', state, fate: 'expired' }));
  }

  private exchange(): void {
    const { current, life, need } = this;
    if (current?.prepared === undefined || life.kind !== 'finishing') return;
    const { prepared, account, issuer, settled, giveUp } = current;
    const launch = need.cord.launch();
    const work = within(
      need.clock,
      SIGN_IN_STEP_MS,
      (signal) => prepared.exchange(life.code, issuer, { web: need.web, launch, signal }),
      giveUp.signal,
    );
    work
      .then((kept) => this.taken(account, life.state, kept))
      .then(
        () => {
          this.tell({ kind: 'over', state: life.state, fate: 'signed_in' });
          settled(undefined);
        },
        (error: unknown) => {
          if (error instanceof CordPulled) {
            this.tell({ kind: 'kept_back', state: life.state });
            settled(undefined);
            if (!need.cord.pulled) this.released();
          } else settled(this.isOf(life.state) ? this.spoilt(life.state, error) : this.fateOf(life.state));
        },
      );
  }

  /** One that was cancelled signs nobody in, wherever its tokens were on their way (R9). */
  private async taken(account: Account, state: string, kept: Kept): Promise<void> {
    if (!this.isOf(state)) throw this.fateOf(state);
    await account.take(kept);
    if (this.isOf(state)) return;
    await account.drop(kept);
    throw this.fateOf(state);
  }

  /** What was wrong with the exchange; a registration that is refused is not used again. */
  private spoilt(state: string, error: unknown): Error {
    if (error instanceof SignInRefused)
      this.current?.account.forget().catch((failure: unknown) => this.need.log('warn', sentence(failure)));
    return this.end(state, 'failed', this.failure(error));
  }

  private end(state: string, fate: SignInFate, error: RequestError): RequestError {
    this.tell({ kind: 'over', state, fate });
    return error;
  }

  private isOf(state: string): boolean {
    return this.life.kind !== 'none' && this.life.state === state;
  }

  private isHeld(): boolean {
    return this.life.kind === 'held';
  }

  private failure(error: unknown): RequestError {
    return new RequestError(
      'sign_in_failed',
      say('The sign-in to {name} has failed: {why}', { name: this.name(), why: sentence(error) }),
    );
  }

  /** What has become of a sign-in that is not under way (R9). */
  private fateOf(state: string): RequestError {
    const last = this.life.kind === 'none' ? this.life.last : undefined;
    if (last?.state !== state) return unknown();
    switch (last.fate) {
      case 'cancelled':
        return new RequestError(
          'sign_in_cancelled',
          say('The sign-in to {name} was cancelled.', { name: this.name() }),
        );
      case 'expired':
        return new RequestError(
          'sign_in_expired',
          say('The sign-in to {name} took too long: begin it again.', { name: this.name() }),
        );
      case 'signed_in':
      case 'refused':
      case 'failed':
        return unknown();
    }
  }
}

export const unknown = (): RequestError =>
  new RequestError(
    'sign_in_unknown',
    say(
      'This answer belongs to no sign-in of this window: it is over, or was begun in another window. Sign in again.',
    ),
  );
