/** The fetch of undici, in the types of the global one: they are the same standard, and differ in what newer ones add. */
declare module 'undici/lib/web/fetch/index.js' {
  import type { Dispatcher } from 'undici';

  export function fetch(
    input: string | URL,
    init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Dispatcher },
  ): Promise<Response>;
}
