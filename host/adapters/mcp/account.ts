/**
 * What is known of a sign-in to the server of one address: its tokens, in memory and in the client's secret storage.
 *
 * Owns what is kept under the address's name. 1. It is for that address alone: another server, of this workspace or
 * another one, has another name (keys by address). 2. A token is shown to no one but that address, and only over
 * https or on this machine. 3. Tokens are renewed once for all who found them refused; another window's renewal counts.
 * 4. What a person has decided stands: what was on its way when they signed out or in is dropped (R9).
 */
import { createHash } from 'node:crypto';
import { parseJson } from '../../base/json';
import { SIGN_IN_STEP_MS } from '../../../protocol';
import type { Launch } from '../../base/launch';
import { isSafe } from './address';
import { SignInRefused } from './errors';
import type { Challenge, Kept, OwnClient } from './oauth';
import type { ServersNeed } from './room';
import type { HttpAuth } from './sender';
import { within } from './within';

/** Before an access token lapses it is renewed, ms: a request takes a moment. */
const EARLY_MS = 5_000;

export class Account implements HttpAuth {
  /** What the server said when it last wanted a sign-in. */
  challenge: Challenge = { wantsMore: false };
  private kept: Kept | undefined;
  private loading: Promise<void> | undefined;
  private renewing: Promise<boolean> | undefined;
  /** Raised by each sign-in and sign-out. */
  private decided = 0;
  private readonly name: string;

  private constructor(
    readonly url: string,
    private readonly own: OwnClient | undefined,
    private readonly need: ServersNeed,
  ) {
    this.name = `mcp/oauth/${createHash('sha256').update(url).digest('hex')}`;
  }

  /** With what is kept of it. */
  static async of(url: string, own: OwnClient | undefined, need: ServersNeed): Promise<Account> {
    const account = new Account(addressOf(url), own, need);
    await account.load();
    return account;
  }

  /** Whether it stands for this address and client. */
  isOf(url: string, own: OwnClient | undefined): boolean {
    return addressOf(url) === this.url && own?.clientId === this.own?.clientId;
  }

  get isSignedIn(): boolean {
    return this.kept?.tokens !== undefined;
  }

  get registration(): Kept | undefined {
    return this.kept;
  }

  token(): string | undefined {
    if (!isSafe(this.url)) return undefined;
    return this.kept?.tokens?.access_token;
  }

  get isStale(): boolean {
    const { expiresAt, tokens } = this.kept ?? {};
    return (
      tokens?.refresh_token !== undefined &&
      expiresAt !== undefined &&
      this.need.clock.now() >= expiresAt - EARLY_MS
    );
  }

  /** The server has refused a request that carried `used`; true when there is another token by now. */
  async refused(used: string | undefined, challenge: Challenge, launch: Launch): Promise<boolean> {
    this.challenge = challenge;
    // Says at once that the cord has been pulled since the request left.
    launch(() => undefined);
    if (challenge.wantsMore) return false;
    if (used !== this.token()) return this.token() !== undefined;
    return this.renew(used);
  }

  /** Once for all who wait for it. It is decided now, and no single call's end gives it up. */
  renew(used: string | undefined): Promise<boolean> {
    this.renewing ??= this.renewed(used).finally(() => (this.renewing = undefined));
    return this.renewing;
  }

  /** A sign-in has come to its end. */
  async take(kept: Kept): Promise<void> {
    this.decided += 1;
    await this.write(this.dated(kept));
  }

  /** A sign-in that ended otherwise while its tokens were written: they are forgotten, unless others are there. */
  async drop({ tokens }: Kept): Promise<void> {
    if (this.token() === tokens?.access_token) await this.forget();
  }

  /** What was kept is forgotten, here and in the secret storage. */
  async forget(): Promise<void> {
    this.decided += 1;
    this.kept = undefined;
    await this.need.secret.set(this.name, undefined);
  }

  private async renewed(used: string | undefined): Promise<boolean> {
    const launch = this.need.cord.launch();
    await this.load();
    // Another window may have signed in or renewed meanwhile.
    if (this.token() !== used && this.token() !== undefined) return true;
    const { kept, decided } = this;
    if (kept?.tokens?.refresh_token === undefined) return false;
    const isDecided = () => decided !== this.decided;
    const { refresh } = await import('./oauth');
    try {
      const fresh = await within(this.need.clock, SIGN_IN_STEP_MS, (signal) =>
        refresh(kept, this.own, { web: this.need.web, launch, signal }),
      );
      if (isDecided()) return this.token() !== undefined;
      await this.write(this.dated(fresh));
      return this.token() !== undefined;
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error;
      await this.load();
      if (isDecided()) return this.token() !== undefined;
      if (this.token() !== used && this.token() !== undefined) return true;
      // The registration may still be good; the tokens are not.
      await this.write({ ...kept, tokens: undefined, expiresAt: undefined });
      return false;
    }
  }

  private dated(kept: Kept): Kept {
    const seconds = kept.tokens?.expires_in;
    return { ...kept, expiresAt: seconds === undefined ? undefined : this.need.clock.now() + seconds * 1000 };
  }

  private load(): Promise<void> {
    this.loading ??= this.read().finally(() => (this.loading = undefined));
    return this.loading;
  }

  private async read(): Promise<void> {
    const { decided } = this;
    const { Kept } = await import('./oauth');
    const text = await this.need.secret.get(this.name);
    if (decided !== this.decided) return;
    const kept = Kept.safeParse(text === undefined ? undefined : parsed(text));
    this.kept = kept.success ? kept.data : undefined;
    this.hide();
  }

  private async write(kept: Kept): Promise<void> {
    this.kept = kept;
    this.hide();
    await this.need.secret.set(this.name, JSON.stringify(kept));
  }

  /** What may never be shown or told (X8). */
  private hide(): void {
    const { tokens, client } = this.kept ?? {};
    for (const value of [tokens?.access_token, tokens?.refresh_token, client?.client_secret])
      if (value !== undefined) this.need.secret.hide(value);
  }
}

function addressOf(url: string): string {
  const address = new URL(url);
  address.hash = '';
  return address.href;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
