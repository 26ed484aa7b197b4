/** What runs commands and terminals: made together, since a terminal's tree is seen and ended as a command's is. */
import { join } from 'node:path';
import type { Settings } from '../../protocol';
import { hostMark } from '../adapters/processes/hostMark';
import { createProcesses } from '../adapters/processes/processes';
import { createTerminals } from '../adapters/terminals/terminals';
import type { Clock } from '../base/clock';
import { newHostId } from '../base/ids';
import type { DisposableStack } from '../base/lifecycle';
import type { Log } from '../base/log';
import type { Secrets } from '../base/redact';
import { shellMs } from './settings';

export interface ProgramsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folder of the bundles. */
  readonly assets: string;
  readonly secrets: () => Secrets;
  readonly settings: () => Settings;
  /** Of the cord; what runs elsewhere checks it by itself (P2). */
  readonly epoch: () => number;
}

export async function composePrograms(options: ProgramsOptions, owned: DisposableStack) {
  const { clock, log, env, assets, secrets, settings, epoch } = options;
  const processes = createProcesses({
    clock,
    log,
    mark: await hostMark(newHostId()),
    secrets,
    defaultMs: () => shellMs(settings()),
    // Elsewhere a start does not copy the page tables of who starts it.
    ...(options.platform === 'linux' ? { forkServer: { bundle: join(assets, 'forkServer.js'), epoch } } : {}),
  });
  owned.add(processes);
  const terminals = createTerminals({
    clock,
    log,
    bundle: join(assets, 'ptyHost.js'),
    trees: processes,
    secrets,
    epoch,
    ownShell: () => (settings().terminals?.ownShell === true ? env['SHELL'] : undefined),
  });
  owned.add(terminals);
  // Beside everything else: nothing waits for it (X6).
  void processes.sweep();
  return { processes, terminals };
}
