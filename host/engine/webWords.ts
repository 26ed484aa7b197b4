/** Why a request has not come to whom it was for, where that lies on the way: a proxy, or a certificate. In words. */
import { say } from '../../protocol';
import { isUntrusted, proxyFailureIn, type ProxyFailure } from '../base/web/proxyFailure';
import { TUNNEL_MS } from '../base/web/tunnel';

export interface WebFault {
  /** A sentence with a way on. */
  readonly text: string;
  /** Another attempt may help. */
  readonly retry: boolean;
}

/** Undefined for every other error. `host` is whom the request was for. */
export function webFault(error: unknown, host: string): WebFault | undefined {
  const failure = proxyFailureIn(error);
  if (failure !== undefined) return ofProxy(failure, host);
  const cause = untrustedIn(error);
  if (cause === undefined) return undefined;
  const text = say(
    'The certificate of {host} is not trusted. Add the certificate of your company to those of this machine, or name its file in NODE_EXTRA_CA_CERTS and restart the editor. ({reason})',
    { host, reason: cause.message },
  );
  return { text, retry: false };
}

function ofProxy({ fault, proxy, reason, status }: ProxyFailure, host: string): WebFault {
  switch (fault) {
    case 'unusable':
      return {
        text: say(
          'The proxy {proxy} cannot be used: Belay speaks to proxies over http and https alone. Correct "http.proxy" or the environment.',
          { proxy },
        ),
        retry: false,
      };
    case 'down':
      return {
        text: say(
          'The proxy {proxy} cannot be reached. Check "http.proxy", and whether you are in its network. ({reason})',
          { proxy, reason },
        ),
        retry: true,
      };
    case 'silent':
      return {
        text: say(
          'The proxy {proxy} has opened no way to {host} within {seconds} s. Try again, or check "http.proxy".',
          { proxy, host, seconds: TUNNEL_MS / 1000 },
        ),
        retry: true,
      };
    case 'sign_in':
      return {
        text: say(
          'The proxy {proxy} wants to know who asks (407). Put a user and a password into "http.proxy", or set "http.proxyAuthorization".',
          { proxy },
        ),
        retry: false,
      };
    case 'refused':
      return {
        text: say(
          'The proxy {proxy} does not lead to {host}: it answered {status}. Ask those who run it, or name the address in "http.noProxy".',
          { proxy, host, status: status ?? 0 },
        ),
        retry: status !== undefined && status >= 500,
      };
    case 'untrusted':
      return {
        text: say(
          'The certificate of the proxy {proxy} is not trusted. Add the certificate of your company to those of this machine, or name its file in NODE_EXTRA_CA_CERTS and restart the editor. ({reason})',
          { proxy, reason },
        ),
        retry: false,
      };
  }
}

function untrustedIn(error: unknown): Error | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (isUntrusted(at)) return at;
  return undefined;
}
