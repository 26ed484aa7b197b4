/** The host as its thread runs it. */
import type { MessagePort } from 'node:worker_threads';
import { z } from 'zod';
import { portWire, serve } from './api/serve';
import { soon, systemClock } from './base/clock';
import type { Log } from './base/log';
import { built } from './base/lifecycle';
import { composeHost } from './compose/compose';

/** The version in package.json; the build writes it here. */
declare const BELAY_VERSION: string;

const Boot = z.object({ assets: z.string(), ripgrep: z.string(), hostVersion: z.string() });

/** The ripgrep that is installed beside the bundle; empty when this platform has none. */
const installedRipgrep = async (): Promise<string> => {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return '';
  }
};

/** A host with one client, the other end of `port`, until that tells it to stop. `given` is a part of `Boot`. */
export function serveHost(port: MessagePort, given: unknown): void {
  const log: Log = (level, text) =>
    port.postMessage({ jsonrpc: '2.0', method: 'log', params: { level, text } });
  const boot = Boot.partial().parse(given ?? {});
  serve(portWire(port), log, {
    start: async (params, client) => {
      const options = {
        boot: {
          assets: boot.assets ?? __dirname,
          ripgrep: boot.ripgrep ?? (await installedRipgrep()),
          hostVersion: boot.hostVersion ?? BELAY_VERSION,
        },
        clock: systemClock,
        log,
        env: process.env,
        platform: process.platform,
        arch: process.arch,
      };
      return built((owned) => composeHost(options, params, client, owned));
    },
    // After the reply to `shutdown` has been posted.
    stopped: () => soon(() => port.close()),
  });
}
