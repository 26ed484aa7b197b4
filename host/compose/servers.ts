/** Wires the MCP servers to the rest of a host: to its engine while it has one, and to its cord. */
import type { CordView } from '../adapters/mcp/gate';
import { createServers, type Servers } from '../adapters/mcp/servers';
import type { ServersNeed } from '../adapters/mcp/room';
import { CordPulled } from '../base/launch';
import { describe } from '../engine/driver/core';
import type { Engine } from '../engine/engine';
import type { Memory } from './memory';

export interface ComposedServers {
  readonly servers: Servers;
  /** A new engine has been opened: its cord holds from now on. */
  follow(engine: Engine): void;
}

export function composeServers(
  need: Omit<ServersNeed, 'cord' | 'recall' | 'remember' | 'changed'>,
  memory: () => Memory | undefined,
): ComposedServers {
  const engine = (): Engine | undefined => memory()?.engine;
  let waiting: (() => void)[] = [];
  /** The host is ending and its store is closed: what ends now is told to nobody. */
  let isEnding = false;
  /** Without an engine this host only reads: nothing starts. */
  const cord: CordView = {
    get pulled() {
      return engine()?.cord.pulled ?? true;
    },
    launch: () =>
      engine()?.cord.launch() ??
      (() => {
        throw new CordPulled();
      }),
    released: () => new Promise((resolve) => waiting.push(resolve)),
  };
  const servers = createServers({
    ...need,
    cord,
    recall: (key) => memory()?.ledger.look((tables) => tables.serverRecord(key)) ?? {},
    remember: async (key, record) => engine()?.rememberServer(key, record),
    changed: (id, server) => {
      if (isEnding) return;
      engine()
        ?.serverChanged(id, server)
        .catch((error: unknown) =>
          need.log('warn', `A server's change could not be told: ${describe(error)}`),
        );
    },
  });
  return {
    servers: {
      ...servers,
      dispose: () => {
        isEnding = true;
        return servers.dispose();
      },
    },
    follow: (opened) =>
      opened.cord.watch((pulled) => {
        if (pulled) {
          servers.pulled();
          return;
        }
        const free = waiting;
        waiting = [];
        for (const go of free) go();
        servers.released();
      }),
  };
}
