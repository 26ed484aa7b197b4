/** Terminals of a host of their own, over real processes; ended and swept away after the test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../host/base/clock';
import type { Launch } from '../../host/base/launch';
import type { Secrets } from '../../host/base/redact';
import type { CallResult, Run } from '../../host/engine/ports';
import type { Terminal } from '../../host/engine/terminalPort';
import { hostMark, type HostMark } from '../../host/adapters/processes/hostMark';
import { createProcesses, type Processes } from '../../host/adapters/processes/processes';
import { createTerminals, type Terminals } from '../../host/adapters/terminals/terminals';
import { marked } from './support';

export const free: Launch = (effect) => effect();

let desks = 0;

export interface DeskOptions {
  readonly secrets?: Secrets;
  readonly clock?: Clock;
  readonly places?: number;
  readonly ownShell?: string;
}

export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'belay-terminals-'));
  readonly log: string[] = [];
  epoch = 1;

  private constructor(
    readonly mark: HostMark,
    readonly processes: Processes,
    options: DeskOptions,
  ) {
    const secrets = options.secrets ?? { names: [], values: [] };
    this.terminals = createTerminals({
      clock: options.clock ?? systemClock,
      log: (level, text) => this.log.push(`${level}: ${text}`),
      bundle: join(__dirname, '../../dist/ptyHost.js'),
      trees: processes,
      secrets: () => secrets,
      epoch: () => this.epoch,
      ownShell: () => options.ownShell,
      ...(options.places === undefined ? {} : { places: options.places }),
    });
  }

  readonly terminals: Terminals;

  static async open(options: DeskOptions = {}): Promise<Desk> {
    desks += 1;
    const mark = await hostMark(`desk-${process.pid}-${desks}`);
    const secrets = options.secrets ?? { names: [], values: [] };
    const processes = createProcesses({ clock: systemClock, log: () => {}, mark, secrets: () => secrets });
    return new Desk(mark, processes, options);
  }

  start(command: string | undefined, launch: Launch = free): Started {
    return new Started(
      this.terminals.terminal({ command, folder: this.folder, cols: 120, rows: 30 }, launch, () => {}),
    );
  }

  run(command: string): Promise<CallResult> {
    return this.start(command).run.done;
  }

  /** Pids of everything alive that carries this host's mark. */
  alive(): number[] {
    return marked(`BELAY_HOST=${this.mark.text}`);
  }

  async close(): Promise<void> {
    await this.terminals.dispose();
    await this.processes.dispose();
    const left = this.alive();
    rmSync(this.folder, { recursive: true, force: true });
    for (const pid of left) process.kill(pid, 'SIGKILL');
    if (left.length > 0) throw new Error(`Left behind by a test: ${left.join(', ')}`);
  }
}

export class Started {
  readonly terminal: Terminal;
  /** All that it has printed, as a viewer gets it. */
  text = '';
  bytes = 0;
  omitted = 0;
  private readonly waiting = new Set<() => void>();

  constructor(readonly run: Run) {
    if (run.terminal === undefined) throw new Error('It has no terminal.');
    this.terminal = run.terminal;
    const view = this.terminal.attach((piece) => {
      this.text += piece.text;
      this.bytes += piece.bytes;
      this.omitted += piece.omitted;
      if (!piece.last) setImmediate(() => view.taken(piece.bytes));
      for (const look of this.waiting) look();
    });
  }

  type(text: string): void {
    const outcome = this.terminal.write(text, free);
    if (outcome !== 'written') throw new Error(`It was not typed: ${outcome}`);
  }

  /** Resolves once it has printed this. */
  says(text: string | RegExp): Promise<void> {
    const fits = (): boolean => (typeof text === 'string' ? this.text.includes(text) : text.test(this.text));
    return new Promise((resolve) => {
      const look = (): void => {
        if (!fits()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  /** What the agent is told. */
  async read(): Promise<Readonly<Record<string, unknown>>> {
    const look = await this.terminal.look();
    this.terminal.told(look);
    return look.fields;
  }

  /** Resolves once the screen fits, looked at with each output. */
  async shows(fits: (screen: string) => boolean): Promise<string> {
    for (;;) {
      const seen = this.bytes;
      const { text } = await this.terminal.screen();
      if (fits(text)) return text;
      if (this.bytes > seen) continue;
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.waiting.delete(look);
          resolve();
        };
        this.waiting.add(look);
      });
    }
  }
}
