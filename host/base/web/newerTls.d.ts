/** What `node:tls` has from Node 22.19 and 24.5 on, and has not at the floor. */
import 'node:tls';

declare module 'node:tls' {
  export const getCACertificates: ((kind: 'default' | 'system') => string[]) | undefined;
  export const setDefaultCACertificates: ((certificates: readonly string[]) => void) | undefined;
}
