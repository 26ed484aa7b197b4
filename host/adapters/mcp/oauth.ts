/**
 * The one file that knows how the MCP SDK signs in (OAuth 2.1 as the protocol says it): discovery, registration,
 * PKCE, the exchange of a code and of a refresh token. It keeps nothing.
 *
 * 1. Every request of it leaves inside the launch that it was given (P2), to an address over https or on this
 *    machine. 2. A refresh token goes to the authorization server that gave it and to no other.
 */
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  AuthorizationServerMetadata,
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { z } from 'zod';
import { SIGN_IN_BYTES, say } from '../../../protocol';
import { CordPulled, type Launch } from '../../base/launch';
import type { Web } from '../../base/web/web';
import { webFault } from '../../engine/webWords';
import { isSafe } from './address';
import { bounded } from './bounded';
import { SignInFailed, SignInRefused } from './errors';
import {
  auth,
  extractWWWAuthenticateParams,
  InvalidClientError,
  InvalidGrantError,
  OAuthClientInformationFullSchema,
  OAuthClientInformationSchema,
  OAuthMetadataSchema,
  OAuthTokensSchema,
  refreshAuthorization,
} from './sdk';
import { brief } from './words';

/** What a server said when it wanted a sign-in. */
export interface Challenge {
  /** What was sent is good, but not good enough for this request. */
  readonly wantsMore: boolean;
  readonly scope?: string;
  readonly resourceMetadata?: string;
}

/** Undefined for an answer that wants no sign-in. */
export function challengeOf(response: Response): Challenge | undefined {
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response);
  const wantsMore = response.status === 403 && error === 'insufficient_scope';
  if (response.status !== 401 && !wantsMore) return undefined;
  return {
    wantsMore,
    ...(scope === undefined ? {} : { scope }),
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadata: resourceMetadataUrl.href }),
  };
}

/** A client that the person has registered by hand. */
export interface OwnClient {
  readonly clientId: string;
  readonly clientSecret?: string;
}

/** How requests leave: each inside `launch`, given up with `signal`. */
export interface Way {
  readonly web: Web;
  readonly launch: Launch;
  readonly signal: AbortSignal;
}

/** What is kept of a sign-in, as the client keeps it. */
export const Kept = z.object({
  tokens: OAuthTokensSchema.optional(),
  /** When the access token lapses; unknown for one that does not say. */
  expiresAt: z.number().optional(),
  client: z.union([OAuthClientInformationFullSchema, OAuthClientInformationSchema]).optional(),
  /** Where the registered client lets browsers be led to. */
  redirectUri: z.string().optional(),
  authorizationServer: z.string().optional(),
  metadata: OAuthMetadataSchema.optional(),
  resource: z.string().optional(),
});
export type Kept = z.infer<typeof Kept>;

/** A sign-in that waits for the browser; it lives in memory alone. */
export interface Prepared {
  /** The address that the person is to open. */
  readonly url: string;
  readonly exchange: (code: string, issuer: string | undefined, way: Way) => Promise<Kept>;
}

export interface Wanted {
  readonly serverUrl: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly challenge: Challenge;
  readonly own: OwnClient | undefined;
  /** What an earlier sign-in has left: its registration is used again where it fits. */
  readonly kept: Kept | undefined;
}

/** Rejects with `CordPulled`, `SignInFailed`, or the signal's reason. */
export async function prepare(wanted: Wanted, way: Way): Promise<Prepared> {
  const flow = new Flow(wanted);
  await flow.run(way, undefined);
  const { url } = flow;
  if (url === undefined)
    throw new SignInFailed(say('Its authorization server gave no address to sign in at.'));
  checkAddress(url);
  return {
    url: url.href,
    exchange: async (code, issuer, later) => {
      flow.checkIssuer(issuer);
      await flow.run(later, code);
      return flow.kept();
    },
  };
}

/**
 * New tokens for old ones. Rejects with `CordPulled`, `SignInRefused` when the authorization server takes them no
 * longer, or `SignInFailed`.
 */
export async function refresh(kept: Kept, own: OwnClient | undefined, way: Way): Promise<Kept> {
  const { tokens, authorizationServer, metadata, resource } = kept;
  const client = own === undefined ? kept.client : informationOf(own);
  if (tokens?.refresh_token === undefined || client === undefined || authorizationServer === undefined)
    throw new SignInRefused(say('It wants you to sign in again.'));
  const leaving = new Leaving(way);
  try {
    const fresh = await refreshAuthorization(authorizationServer, {
      ...(metadata === undefined ? {} : { metadata }),
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      ...(resource === undefined ? {} : { resource: new URL(resource) }),
      fetchFn: leaving.fetch,
    });
    return { ...kept, tokens: fresh };
  } catch (error) {
    throw leaving.known(error);
  }
}

function checkAddress(address: string | URL): void {
  if (!isSafe(address))
    throw new SignInFailed(
      say('A sign-in only goes over https, which {origin} is not.', { origin: new URL(address).origin }),
    );
}

const informationOf = ({ clientId, clientSecret }: OwnClient): OAuthClientInformationMixed => ({
  client_id: clientId,
  ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
});

/** The SDK's requests; it may take what they reject with for something else, so the first refusal of ours is kept. */
class Leaving {
  private refused: Error | undefined;

  constructor(private readonly way: Way) {}

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const { launch, signal, web } = this.way;
    try {
      signal.throwIfAborted();
      checkAddress(url);
      const way = await web.to(url);
      signal.throwIfAborted();
      const response = await launch(() => way.fetch(url, { ...init, signal }));
      return bounded(response, { most: SIGN_IN_BYTES, broke: () => undefined });
    } catch (error) {
      const fault = webFault(error, new URL(url).host);
      if (fault !== undefined) this.refused ??= new SignInFailed(fault.text);
      if (error instanceof CordPulled || error instanceof SignInFailed || signal.aborted)
        this.refused ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  };

  known(error: unknown): Error {
    if (this.refused !== undefined) return this.refused;
    if (error instanceof SignInFailed || error instanceof SignInRefused) return error;
    if (error instanceof InvalidGrantError || error instanceof InvalidClientError)
      return new SignInRefused(
        say('Its authorization server takes this sign-in no longer: {reason}.', { reason: said(error) }),
      );
    return new SignInFailed(
      say('Its authorization server could not be used: {reason}.', { reason: said(error) }),
    );
  }
}

/** One way through the SDK's own state: it asks for what it knows, and tells what it has found. */
class Flow implements OAuthClientProvider {
  url: URL | undefined;
  private tokensGiven: OAuthTokens | undefined;
  private client: OAuthClientInformationMixed | undefined;
  private registered: OAuthClientInformationMixed | undefined;
  private verifier = '';
  private discovery: OAuthDiscoveryState | undefined;
  /** Absent for a client that was registered by hand: no other is made in its place. */
  readonly saveClientInformation?: (client: OAuthClientInformationMixed) => void;

  constructor(private readonly wanted: Wanted) {
    const { own, kept, redirectUri } = wanted;
    if (own === undefined) {
      this.client = kept?.redirectUri === redirectUri ? kept.client : undefined;
      this.registered = this.client;
      this.saveClientInformation = (client) => {
        this.client = client;
        this.registered = client;
      };
    } else this.client = informationOf(own);
  }

  async run(way: Way, code: string | undefined): Promise<void> {
    const { serverUrl, challenge } = this.wanted;
    const leaving = new Leaving(way);
    try {
      await auth(this, {
        serverUrl,
        fetchFn: leaving.fetch,
        ...(challenge.scope === undefined ? {} : { scope: challenge.scope }),
        ...(challenge.resourceMetadata === undefined
          ? {}
          : { resourceMetadataUrl: new URL(challenge.resourceMetadata) }),
        ...(code === undefined ? {} : { authorizationCode: code }),
      });
    } catch (error) {
      throw leaving.known(error);
    }
  }

  /** An answer that names another authorization server than the one that was asked is no answer to us. */
  checkIssuer(issuer: string | undefined): void {
    const own = this.discovery?.authorizationServerMetadata?.issuer;
    if (issuer !== undefined && own !== undefined && issuer !== own)
      throw new SignInFailed(
        say('The answer came from another authorization server than the one that was asked.'),
      );
  }

  kept(): Kept {
    const { discovery, tokensGiven } = this;
    if (tokensGiven === undefined) throw new SignInFailed(say('Its authorization server gave no token.'));
    return {
      tokens: tokensGiven,
      ...(this.registered === undefined
        ? {}
        : { client: this.registered, redirectUri: this.wanted.redirectUri }),
      ...(discovery === undefined ? {} : { authorizationServer: discovery.authorizationServerUrl }),
      ...metadataOf(discovery?.authorizationServerMetadata),
      ...(discovery?.resourceMetadata === undefined ? {} : { resource: discovery.resourceMetadata.resource }),
    };
  }

  get redirectUrl(): string {
    return this.wanted.redirectUri;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Belay',
      redirect_uris: [this.wanted.redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state = (): string => this.wanted.state;
  clientInformation = (): OAuthClientInformationMixed | undefined => this.client;
  /** A person signs in anew: what an earlier sign-in gave is not asked for. */
  tokens = (): undefined => undefined;
  saveTokens = (tokens: OAuthTokens): void => void (this.tokensGiven = tokens);
  redirectToAuthorization = (url: URL): void => void (this.url = url);
  saveCodeVerifier = (verifier: string): void => void (this.verifier = verifier);
  codeVerifier = (): string => this.verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.discovery = state);
  discoveryState = (): OAuthDiscoveryState | undefined => this.discovery;
  invalidateCredentials = (): void => {
    if (this.wanted.own !== undefined) return;
    this.client = undefined;
    this.registered = undefined;
  };
}

function metadataOf(metadata: AuthorizationServerMetadata | undefined): Pick<Kept, 'metadata'> {
  const parsed = OAuthMetadataSchema.safeParse(metadata);
  return parsed.success ? { metadata: parsed.data } : {};
}

function said(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const text = cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
  return brief(text).replace(/\.$/, '');
}
