/** Runs ripgrep for the tools that look through a folder: bounded, without what no tool may name, ended when enough is found. */
import { resolve } from 'node:path';
import type { CallResult, Prepared, Run, StopReason, Workplace } from '../../engine/ports';
import type { Launch } from '../../base/launch';
import { refuseNoFile } from './disk';
import { hiddenPaths, isWithin, locateAgain, realPath } from './paths';
import { failed, failure, stoppedResult, success } from './tool';

export interface ProgramRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly timeoutMs: number | undefined;
}

/** What runs programs; `host/adapters/processes` is the real one. */
export interface Programs {
  program(
    request: ProgramRequest,
    launch: Launch,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
  ): Run;
}

/** A search of a large workspace takes a few seconds; beyond this something is wrong, ms. */
const SEARCH_MS = 30_000;

/** What gathers the output of a run. */
export interface Gathering {
  /** Enough was found; the rest is not wanted. */
  readonly full: boolean;
  add(output: string): 'full' | 'more';
  result(): Record<string, unknown>;
}

/** What one call looks for. */
export interface Looking {
  /** As the model wrote it. */
  readonly path: string;
  /** For ripgrep, which runs in the turn's folder; `target` is the path as it is shown. */
  args(target: string): readonly string[];
  /** What of a file is told: its name alone, or lines of it. */
  readonly tells: 'name' | 'text';
  /** `isShown` says whether that may be told of a path. */
  gather(isShown: (path: string) => boolean): Gathering;
  /** What else the model is told of the place; paths are real ones. */
  note?(target: string, folder: string, hidden: readonly string[]): Record<string, unknown>;
}

/** Links are not followed, git's own folder is left out, and what git ignores as well. */
export const LOOKING_ARGUMENTS: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--hidden',
  '--no-require-git',
];

/** Owns one run of ripgrep, which it ends when enough was found. */
export class Ripgrep implements Run {
  readonly done: Promise<CallResult>;
  private settle: (result: CallResult) => void = () => {};
  private program: Run | undefined;
  private stopped: StopReason | undefined;

  constructor(
    private readonly what: Looking,
    private readonly prepared: Prepared,
    private readonly place: Workplace,
    private readonly launch: Launch,
    private readonly programs: Programs,
    private readonly ripgrep: string,
  ) {
    this.done = new Promise((settle) => (this.settle = settle));
    this.search().then(this.settle, (error: unknown) => this.settle(failed(error)));
  }

  async stop(reason: StopReason): Promise<Awaited<ReturnType<Run['stop']>>> {
    this.stopped ??= reason;
    // Before ripgrep runs, only the disk is awaited: it may not answer, and then nothing is lost.
    if (this.program === undefined) this.settle(stoppedResult(this.stopped));
    const report = (await this.program?.stop(reason)) ?? { stopped: true, survivors: [] };
    await this.done;
    return report;
  }

  detach(): void {
    // Its limit is its own and stays.
  }

  read(offset: number): ReturnType<Run['read']> {
    return { text: '', offset, total: 0 };
  }

  private wasStopped(): CallResult | undefined {
    return this.stopped === undefined ? undefined : stoppedResult(this.stopped);
  }

  private async search(): Promise<CallResult> {
    const { what, place } = this;
    const at = await locateAgain(this.prepared, place, what.path, 'read');
    if (at.kind !== 'folder') refuseNoFile(at);
    const folder = await realPath(resolve(place.folder));
    const hidden = await hiddenPaths(place);
    const gate = place.gate?.(at.real);
    const found = what.gather((shown) => {
      const path = resolve(folder, shown);
      return !hidden.some((one) => isWithin(one, path)) && gate?.[what.tells](path) !== false;
    });
    const result = () => ({ ...found.result(), ...what.note?.(at.real, folder, hidden) });
    const before = this.wasStopped();
    if (before !== undefined) return before;
    let problem = '';
    const program = this.programs.program(
      { file: this.ripgrep, args: what.args(at.shown), folder, timeoutMs: SEARCH_MS },
      this.launch,
      (stream, text) => {
        if (stream === 'stderr') problem = (problem + text).slice(0, PROBLEM_CHARACTERS);
        else if (found.add(text) === 'full') void this.program?.stop('stopped');
      },
    );
    this.program = program;
    const { output, end } = await program.done;
    const meanwhile = this.wasStopped();
    if (meanwhile !== undefined) return meanwhile;
    if (found.full || end?.exitCode === 0 || end?.exitCode === 1) return success(result());
    if (end?.end === 'timed_out') {
      return {
        output: { error: 'timed_out', detail: `Not done after ${SEARCH_MS} ms.`, ...result() },
        failed: true,
      };
    }
    if (output['error'] !== undefined)
      return { output: { error: output['error'], detail: output['detail'] }, failed: true };
    // Files that could not be read end it with 2 as well, without a word; the rest was searched.
    return problem === '' ? success(result()) : failure(problem.trim());
  }
}

const PROBLEM_CHARACTERS = 1_000;
