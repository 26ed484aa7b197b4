/**
 * Who a server over HTTP is told that asks: what is kept of a sign-in to where it is reached now, and the sign-in that
 * is under way. Owns both; another address in its configuration is another account.
 */
import { RequestError } from '../../engine/errors';
import { Account } from './account';
import type { ServerConfig } from './config';
import { valuesOf } from './inputs';
import type { ServersNeed } from './room';
import { SignIn } from './signIn';
import { resolved, type Resolved } from './variables';
import { nameOf, sentence } from './words';
import { say } from '../../../protocol';

type Far = Extract<Resolved, { kind: 'http' }>;

export class ServerAccount {
  readonly signIn: SignIn;
  private account: Account | undefined;

  constructor(
    private readonly config: () => ServerConfig,
    private readonly need: ServersNeed,
    changed: (signedIn: boolean) => void,
  ) {
    this.signIn = new SignIn(() => nameOf(config()), need, changed);
  }

  get isSignedIn(): boolean {
    return this.account?.isSignedIn === true;
  }

  /** What is known of the sign-in to this address. */
  async of({ url, client }: Far): Promise<Account> {
    if (this.account?.isOf(url, client) !== true) this.account = await Account.of(url, client, this.need);
    return this.account;
  }

  /** By a person's click; the address that is to be opened in a browser. Rejects with a `RequestError`. */
  async begin(redirectUri: string): Promise<string> {
    const target = await this.reached();
    return this.signIn.begin(await this.of(target), target.client, redirectUri);
  }

  /** Forgets its tokens. Rejects with a `RequestError`. */
  async signOut(): Promise<void> {
    this.signIn.cancel();
    const account = await this.of(await this.reached());
    await account.forget();
  }

  private async reached(): Promise<Far> {
    const { need } = this;
    const config = this.config();
    const given = await valuesOf(config.inputs, need.secret);
    try {
      const around = {
        folders: need.folders(),
        env: need.env,
        secrets: need.secrets(),
        inputs: given.values,
      };
      const target = resolved(config, around);
      if (target.kind === 'http') return target;
    } catch (error) {
      throw new RequestError('sign_in_failed', sentence(error));
    }
    throw new RequestError('sign_in_failed', say('This server runs here: there is nothing to sign in to.'));
  }
}
