/**
 * How requests to a server over HTTP leave: through the gate, with the token of a sign-in, and once more when a
 * refusal has brought another token. A token is read in the tick in which its request leaves.
 */
import type { Launch } from '../../base/launch';
import { SignInNeeded } from './errors';
import type { Gate, Kind } from './gate';
import type { Web } from '../../base/web/web';
import { challengeOf, type Challenge } from './oauth';
import { say } from '../../../protocol';

export interface HttpWire {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly web: Web;
  /** Absent where the configuration itself says who asks. */
  readonly auth: HttpAuth | undefined;
}

/** Who a server over HTTP is told that asks. */
export interface HttpAuth {
  /** What is sent with a request; undefined before a sign-in. */
  token(): string | undefined;
  /** It lapses in a moment. */
  readonly isStale: boolean;
  /** Another token for the one that lapses; true when there is one. */
  renew(used: string | undefined): Promise<boolean>;
  /** A request that carried `used` was refused; true when there is another token, and it is worth sending again. */
  refused(used: string | undefined, challenge: Challenge, launch: Launch): Promise<boolean>;
}

type Send = (url: string | URL, init: RequestInit | undefined) => Promise<Response>;

export function sender({ url: address, web, auth }: HttpWire, gate: Gate): Send {
  const once: Send = async (url, init) => {
    const kind: Kind = init?.method === 'GET' ? 'other' : 'request';
    const way = await web.to(address);
    return gate.pass(kind, (launch) => launch(() => way.fetch(url, withToken(init, auth?.token()))));
  };
  return async (url, init) => {
    if (auth === undefined) return once(url, init);
    if (auth.isStale) await auth.renew(auth.token());
    const used = auth.token();
    const response = await once(url, init);
    const challenge = challengeOf(response);
    // A session's end is not worth another token.
    if (challenge === undefined || init?.method === 'DELETE') return response;
    await response.body?.cancel();
    if (!(await auth.refused(used, challenge, gate.launch()))) throw wanted(challenge, used);
    const again = await once(url, init);
    if (challengeOf(again) === undefined) return again;
    await again.body?.cancel();
    throw wanted(challenge, used);
  };
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${token}`);
  return { ...init, headers };
}

function wanted({ wantsMore }: Challenge, used: string | undefined): SignInNeeded {
  if (wantsMore) return new SignInNeeded(say('It wants you to sign in with more rights.'));
  return new SignInNeeded(
    used === undefined ? say('It wants you to sign in.') : say('It wants you to sign in again.'),
  );
}
