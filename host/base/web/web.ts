/**
 * The one way by which the host speaks HTTP: models and their lists, servers, sign-ins. It knows of the proxy and of
 * the certificates that are trusted, reads the settings for each request anew, and owns the connections.
 */
import type { Clock } from '../clock';
import type { Disposable } from '../lifecycle';
import type { Log } from '../log';
import { trustSystem } from './certificates';
import { hasProxy, proxyFor, type WebSettings } from './proxy';
import { createRouter, type Router } from './router';

/** How a request leaves. */
export interface Way {
  /** Called inside a `launch`; the request starts in that tick (P2). */
  readonly fetch: typeof fetch;
  /** The proxy that the request goes through, as it may be shown. */
  readonly proxy: string | undefined;
}

export interface Web extends Disposable {
  /** The way to this address, by the settings of now; a proxy's is led by those of its request. Never rejects: what stands against it is told by its `fetch`. */
  to(address: string | URL): Promise<Way>;
}

export interface WebNeed {
  readonly settings: () => WebSettings | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
}

const load = () => import('./undici');
type Undici = Awaited<ReturnType<typeof load>>;

export function createWeb({ settings, env, clock, log }: WebNeed): Web {
  let trusting: Promise<void> | undefined;
  let routed: { readonly by: string; readonly router: Router } | undefined;

  const trust = (): Promise<void> =>
    (trusting ??= trustSystem((reason) =>
      log('warn', `The certificates of this machine could not be read: ${reason}`),
    ));

  const routerBy = (undici: Undici, now: WebSettings): Router => {
    const by = JSON.stringify(now);
    if (routed?.by === by) return routed.router;
    routed?.router.close();
    routed = { by, router: createRouter(undici, { settings: now, env, clock }) };
    return routed.router;
  };

  return {
    to: async (address) => {
      const now = settings() ?? {};
      const url = new URL(address);
      if (url.protocol === 'https:' && now.systemCertificates !== false) await trust();
      if (!hasProxy(now, env) && now.proxyStrictSSL !== false) return { fetch, proxy: undefined };
      try {
        const undici = await load();
        const proxy = proxyFor(url, now, env)?.shown;
        // Not the router of this moment: it takes no request any more once the settings have changed.
        return { fetch: (...asked) => routerBy(undici, settings() ?? {}).fetch(...asked), proxy };
      } catch (error) {
        const why = error instanceof Error ? error : new Error(String(error));
        return { fetch: () => Promise.reject(why), proxy: undefined };
      }
    },
    dispose: () => routed?.router.destroy(),
  };
}
