export type ProxyFault =
  /** Its address is none of a proxy over HTTP. */
  | 'unusable'
  /** Nobody is there, or the connection to it broke. */
  | 'down'
  /** It was there, and said nothing in time. */
  | 'silent'
  /** It wants to know who asks (407). */
  | 'sign_in'
  /** It answered, and did not let the request through. */
  | 'refused'
  /** Its own certificate is not trusted. */
  | 'untrusted';

/** A request did not get past the proxy. Nothing of it has reached whom it was for. */
export class ProxyFailure extends Error {
  constructor(
    readonly fault: ProxyFault,
    /** Its address, without credentials. */
    readonly proxy: string,
    /** What the system, or the proxy, says of it; empty when it says nothing. */
    readonly reason: string,
    /** Of its answer. */
    readonly status?: number,
  ) {
    super(`The proxy ${proxy} failed (${fault}): ${reason}`);
  }
}

/** Why a certificate was not taken, by the codes of Node and OpenSSL. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
]);

export const isUntrusted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && UNTRUSTED.has(error.code);

/** Looks through an error's causes for one of a proxy. */
export function proxyFailureIn(error: unknown): ProxyFailure | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ProxyFailure) return at;
  return undefined;
}
