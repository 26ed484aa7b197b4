import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { systemClock } from '../../host/base/clock';
import { CordPulled, type Launch } from '../../host/base/launch';
import type { Secrets } from '../../host/base/redact';
import type { CallResult, Prepared, Run, ToolPort, Unsound, Workplace, Steps } from '../../host/engine/ports';
import { hostMark } from '../../host/adapters/processes/hostMark';
import { createProcesses, type Processes } from '../../host/adapters/processes/processes';
import { createCommandReader } from '../../host/adapters/commands/reader';
import { createClientTools } from '../../host/adapters/clientTools/registry';
import { createScripts, type Scripts } from '../../host/adapters/scripts/scripts';
import { createTerminals, type Terminals } from '../../host/adapters/terminals/terminals';
import { createTools } from '../../host/adapters/tools/toolPort';
import { looks } from '../../host/compose/looks';
import { CallId, SessionId, TurnId } from '../../protocol';

export const free: Launch = (effect) => effect();
export const pulled: Launch = () => {
  throw new CordPulled();
};

let bases = 0;

/** Terminals over these processes; they cost nothing until one is opened. */
export const terminalsOn = (processes: Processes): Terminals =>
  createTerminals({
    clock: systemClock,
    log: () => {},
    bundle: join(__dirname, '../../dist/ptyHost.js'),
    trees: processes,
    secrets: () => ({ names: [], values: [] }),
    epoch: () => 0,
    ownShell: () => undefined,
  });

/** A workspace on disk with the tools on it. `outside` lies beside it, `store` is what no tool may name. */
/** For calls that make no steps. */
const unexpected = () => Promise.reject(new Error('No step was expected.'));
export const noSteps: Steps = {
  tools: () => [],
  call: unexpected,
  ask: unexpected,
  halt: () => Promise.resolve(),
};

/** Scripts as the host runs them; they cost nothing until one is run. */
const scripts: Scripts = createScripts({
  assets: join(__dirname, '../../dist'),
  clock: systemClock,
  secrets: () => ({ names: [], values: [] }),
});
const reader = createCommandReader({
  assets: join(__dirname, '../../dist'),
  clock: systemClock,
  log: () => {},
});
export const scriptTools = { scripts, readStored: () => ({}), readCommand: reader.read };

export class Bench {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'belay-tools-')));
  readonly folder = join(this.base, 'workspace');
  readonly outside = join(this.base, 'outside');
  readonly store = join(this.base, 'store');
  readonly place: Workplace = {
    session: SessionId.parse('s'),
    turn: TurnId.parse('t'),
    call: CallId.parse('c'),
    folder: this.folder,
    roots: [this.folder],
    hidden: [this.store],
  };
  secrets: Secrets = { names: [], values: [] };
  /** Files that the person has changed and not saved. */
  readonly unsaved = new Set<string>();
  readonly tools: ToolPort;

  private constructor(private readonly processes: Processes) {
    for (const folder of [this.folder, this.outside, this.store]) mkdirSync(folder);
    this.tools = createTools({
      processes,
      terminals: terminalsOn(processes),
      ripgrep: rgPath,
      unsaved: { has: (path) => this.unsaved.has(path), paths: () => [...this.unsaved] },
      secrets: () => this.secrets,
      ...scriptTools,
      readKept: () => undefined,
      answered: clientTools(),
    });
  }

  static async open(): Promise<Bench> {
    bases += 1;
    const mark = await hostMark(`tools-${process.pid}-${bases}`);
    const holder: { bench?: Bench } = {};
    const processes = createProcesses({
      clock: systemClock,
      log: () => {},
      mark,
      secrets: () => holder.bench?.secrets ?? { names: [], values: [] },
    });
    return (holder.bench = new Bench(processes));
  }

  async close(): Promise<void> {
    await this.processes.dispose();
    rmSync(this.base, { recursive: true, force: true });
  }

  at(path: string): string {
    return join(this.folder, path);
  }

  put(path: string, content: string | Buffer): string {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
    return this.at(path);
  }

  get(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  prepare(tool: string, args: unknown): Promise<Prepared | Unsound> {
    return this.tools.prepare(tool, JSON.stringify(args), this.place);
  }

  async prepared(tool: string, args: unknown): Promise<Prepared> {
    const prepared = await this.prepare(tool, args);
    if ('error' in prepared) throw new Error(`${tool}: ${prepared.detail}`);
    return prepared;
  }

  start(prepared: Prepared, launch: Launch = free): Run {
    return this.tools.run(prepared, this.place, launch, () => {}, noSteps);
  }

  async run(tool: string, args: unknown, launch: Launch = free): Promise<CallResult> {
    return this.start(await this.prepared(tool, args), launch).done;
  }

  /** The output of a call that must succeed. */
  async output(tool: string, args: unknown): Promise<Readonly<Record<string, unknown>>> {
    const { output, failed } = await this.run(tool, args);
    if (failed) throw new Error(`${tool}: ${JSON.stringify(output)}`);
    return output;
  }

  /** The detail of a call that must fail with `tool_failed`. */
  async failure(tool: string, args: unknown): Promise<string> {
    const { output, failed } = await this.run(tool, args);
    if (!failed || output['error'] !== 'tool_failed') throw new Error(`${tool}: ${JSON.stringify(output)}`);
    return String(output['detail']);
  }
}

/** Client tools as a host has them before any client has registered. */
export const clientTools = () =>
  createClientTools({
    clock: systemClock,
    secrets: () => ({ names: [], values: [] }),
    graceMs: () => 30_000,
    reserved: () => false,
    looks,
  });
