/**
 * The terminals of this host (X3). Owns their places and the PTY host; made once by `compose`, and costs
 * nothing until the first terminal.
 */
import { availableParallelism } from 'node:os';
import { BundleProcess } from '../../base/bundleProcess';
import type { Clock } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import { Places } from '../../base/places';
import type { Secrets } from '../../base/redact';
import type { Run } from '../../engine/ports';
import { FromPtyHost } from './fromPtyHost';
import { shellFor, shellName } from './shell';
import { TerminalRun, type TerminalRoom } from './terminalRun';
import type { ToPtyHost } from './toPtyHost';
import type { Trees } from './trees';

export interface TerminalsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of the PTY host's bundle. */
  readonly bundle: string;
  readonly trees: Trees;
  readonly secrets: () => Secrets;
  /** The cord's epoch as of now. */
  readonly epoch: () => number;
  /** The person's own shell, when a setting asks for it. */
  readonly ownShell: () => string | undefined;
  /** Terminals at once. */
  readonly places?: number;
}

export interface OpenTerminal {
  /** Without one, a shell at its prompt. */
  readonly command: string | undefined;
  /** Absolute path. */
  readonly folder: string;
  readonly cols: number;
  readonly rows: number;
}

export interface Terminals {
  /** Opens a terminal; never throws. */
  terminal(request: OpenTerminal, launch: Launch, onOutput: (text: string) => void): Run;
  /** The name of the shell that a terminal with this command, or without one, runs. */
  shellName(command: string | undefined): string;
  /** Ends what still runs, and the PTY host. */
  dispose(): Promise<void>;
}

/** Terminals a core: they live long, so they have places of their own beside those of commands. */
const PLACES_A_CORE = 64;

export function createTerminals(options: TerminalsOptions): Terminals {
  const { clock, log, bundle, trees, secrets, epoch, ownShell } = options;
  const environment = (launch: Launch) => trees.adopt(launch, {}).env;
  const pty = new BundleProcess<ToPtyHost, FromPtyHost>({
    name: 'The host of terminals',
    bundle,
    environment,
    log,
    parse: (message) => FromPtyHost.parse(message),
  });
  const running = new Set<Run>();
  let ids = 0;
  const room: TerminalRoom = {
    clock,
    places: new Places(options.places ?? PLACES_A_CORE * availableParallelism()),
    trees,
    secrets,
    channel: (launch) => pty.channel(launch),
    nextId: () => ++ids,
    epoch,
  };
  return {
    terminal: ({ command, folder, cols, rows }, launch, onOutput) => {
      const shell = shellFor(command, process.platform, ownShell());
      const request = { shell, isShell: command === undefined, folder, cols, rows };
      const run = new TerminalRun(request, room, launch, onOutput);
      running.add(run);
      void run.done.then(() => running.delete(run));
      return run;
    },
    shellName: (command) => shellName(command, process.platform, ownShell()),
    dispose: async () => {
      await Promise.all([...running].map((run) => run.stop('host_stopped')));
      await pty.dispose();
    },
  };
}
