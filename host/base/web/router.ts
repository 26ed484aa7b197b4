/**
 * Leads each request its way: to whom it is for, or through a proxy. A request over plain HTTP is handed to the proxy
 * whole, one over TLS goes through a tunnel. It owns its connections.
 *
 * 1. A request that ends before it has an answer leaves no connection behind that is still being made, unless another
 *    one waits for the same: a pull ends a `CONNECT` that is under way (P1).
 */
import type { Clock } from '../clock';
import { proxyFor, type Proxy, type WebSettings } from './proxy';
import { isUntrusted, ProxyFailure } from './proxyFailure';
import { openTunnel, type Opening } from './tunnel';
import type * as Undici from './undici';

export interface Router {
  readonly fetch: typeof fetch;
  /** What is under way comes to its end; nothing else is taken. */
  close(): void;
  destroy(): void;
}

export interface RouterNeed {
  readonly settings: WebSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

type Handler = Undici.Dispatcher.DispatchHandler;
type Options = Undici.Dispatcher.DispatchOptions;
type Connector = Undici.buildConnector.connector;

export function createRouter(undici: typeof Undici, { settings, env, clock }: RouterNeed): Router {
  const strict = settings.proxyStrictSSL !== false;
  const waiting = new Map<string, number>();
  const openings = new Map<string, Set<Opening>>();
  const direct = new undici.Agent({ connect: { rejectUnauthorized: strict } });
  const pools = new Map<string, Undici.Pool>();

  const enter = (origin: string): void => void waiting.set(origin, (waiting.get(origin) ?? 0) + 1);
  const leave = (origin: string): void => {
    const left = (waiting.get(origin) ?? 1) - 1;
    if (left > 0) return void waiting.set(origin, left);
    waiting.delete(origin);
    for (const opening of openings.get(origin) ?? []) opening.giveUp();
  };

  const tunnelTo =
    (origin: string, proxy: Proxy): Connector =>
    ({ hostname, port, servername }, callback) => {
      const open = openings.get(origin) ?? new Set();
      openings.set(origin, open);
      const wanted = { proxy, hostname, port: port === '' ? '443' : port, servername, strict, clock };
      const opening = openTunnel(wanted, (error, socket) => {
        open.delete(opening);
        if (error !== null) callback(error, null);
        else if (socket !== null) callback(null, socket);
      });
      open.add(opening);
    };

  const toProxy = ({ shown }: Proxy): Connector => {
    const connect = undici.buildConnector({ rejectUnauthorized: strict });
    return (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error === null) return callback(null, socket);
        callback(new ProxyFailure(isUntrusted(error) ? 'untrusted' : 'down', shown, error.message), null);
      });
  };

  const poolOf = (name: string, origin: string, connect: Connector): Undici.Pool => {
    const known = pools.get(name);
    if (known !== undefined) return known;
    const made = new undici.Pool(origin, { connect });
    pools.set(name, made);
    return made;
  };

  const lead = (options: Options, handler: Handler): boolean => {
    const origin = String(options.origin);
    const proxy = proxyFor(new URL(origin), settings, env);
    if (proxy === undefined) return direct.dispatch(options, handler);
    if (origin.startsWith('https:'))
      return poolOf(origin, origin, tunnelTo(origin, proxy)).dispatch(options, handler);
    const whole = {
      ...options,
      origin: proxy.url.origin,
      path: `${origin}${options.path}`,
      headers: withProxy(options.headers, new URL(origin).host, proxy),
    };
    return poolOf(`via ${proxy.shown}`, proxy.url.origin, toProxy(proxy)).dispatch(
      whole,
      unlessAsked(handler, proxy),
    );
  };

  /** The dispatcher of one request, which is told in `init` alone; it notes whom a redirect leads to as well. */
  class Leading extends undici.Dispatcher {
    readonly origins: string[] = [];

    override dispatch(options: Options, handler: Handler): boolean {
      const origin = String(options.origin);
      this.origins.push(origin);
      enter(origin);
      return lead(options, handler);
    }
  }

  return {
    fetch: async (input, init) => {
      const dispatcher = new Leading();
      try {
        return await undici.fetch(input instanceof Request ? input.url : input, { ...init, dispatcher });
      } finally {
        for (const origin of dispatcher.origins) leave(origin);
      }
    },
    close: () => {
      for (const one of [direct, ...pools.values()]) void one.close().catch(() => undefined);
    },
    destroy: () => {
      for (const one of [direct, ...pools.values()]) void one.destroy().catch(() => undefined);
    },
  };
}

/** Of a request over plain HTTP the proxy itself may answer, in the place of whom it was for. */
const unlessAsked = (handler: Handler, { shown }: Proxy): Handler => ({
  ...handler,
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- The form that the fetch of this version listens in.
  onHeaders(status, headers, resume, message) {
    if (status === 407) throw new ProxyFailure('sign_in', shown, message, status);
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The same.
    return handler.onHeaders?.call(this, status, headers, resume, message) ?? true;
  },
});

/** What a `fetch` hands over is a record. */
function withProxy(
  headers: Options['headers'],
  host: string,
  { authorization }: Proxy,
): Record<string, string> {
  const given: [string, unknown][] = Object.entries(headers ?? {});
  return {
    ...Object.fromEntries(
      given.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : [])),
    ),
    host,
    ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }),
  };
}
