/** What `activate` returns, for tests and for other extensions. See docs/api.md. */
import type { BelayEvent, Method, ParamsOf, ResultOf } from '../protocol';
import type { HostClient } from './hostClient';
import { protocolVersion } from './hostClient';

export interface BelayApi {
  /** Version of the protocol that `request` speaks. It changes only when an old caller could be misled. */
  readonly protocolVersion: number;
  /**
   * Asks the host, and starts it if need be. Rejects with an error whose `code` is one of the protocol's and whose
   * `data` is what the code's request needs to go on.
   */
  request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  /** Hears every event from now on, in order. */
  onEvent(listener: (event: BelayEvent) => void): { dispose(): void };
  /** How long `activate` held up VS Code, ms. */
  readonly activatedInMs: number;
}

/** Methods that belong to the owner of the host's life: another caller would end or confuse it. */
const OWN: ReadonlySet<string> = new Set<Method>([
  'initialize',
  'shutdown',
  'settings/update',
  'model/offer',
]);

export function createApi(host: HostClient, activatedInMs: number): BelayApi {
  return {
    protocolVersion,
    activatedInMs,
    request: (method, params) =>
      OWN.has(method)
        ? Promise.reject(new Error(`${method} is Belay's own and cannot be asked from outside.`))
        : host.request(method, params),
    onEvent: (listener) => host.onEvent(listener),
  };
}
