import { z } from 'zod';
import { resolve } from 'node:path';
import type { CallResult, Prepared, Run, StopReason, Workplace } from '../../engine/ports';
import type { Launch } from '../../base/launch';
import { refuseNoFile } from './disk';
import { pathTool } from './pathTool';
import { hiddenPaths, isWithin, locateAgain, realPath } from './paths';
import { Found } from './searchResults';
import { failed, failure, stoppedResult, success, type Tool } from './tool';

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

const Args = z.strictObject({
  pattern: z.string().min(1).max(4096),
  path: z.string().min(1).max(4096).optional(),
  glob: z.string().min(1).max(1024).optional(),
});
type Args = z.infer<typeof Args>;

export function searchTool(programs: Programs, ripgrep: string): Tool {
  return pathTool({
    name: 'search',
    description: 'Search text in files by regular expression (ripgrep). Files that git ignores are left out.',
    args: Args,
    verb: 'Search',
    purpose: 'read',
    title: (args, at) => `Search "${args.pattern.slice(0, 100)}" in ${at.shown}`,
    run: (args, prepared, place, launch) => new Search(args, prepared, place, launch, programs, ripgrep),
  });
}

/** Owns one run of ripgrep, which it ends when enough was found. */
class Search implements Run {
  readonly done: Promise<CallResult>;
  private settle: (result: CallResult) => void = () => {};
  private program: Run | undefined;
  private stopped: StopReason | undefined;

  constructor(
    private readonly args: Args,
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
    const { args, place } = this;
    const at = await locateAgain(this.prepared, place, args.path ?? '.', 'read');
    if (at.kind !== 'folder') refuseNoFile(at);
    const folder = await realPath(resolve(place.folder));
    const hidden = await hiddenPaths(place);
    const found = new Found((path) => !hidden.some((one) => isWithin(one, resolve(folder, path))));
    const before = this.wasStopped();
    if (before !== undefined) return before;
    let problem = '';
    const program = this.programs.program(
      { file: this.ripgrep, args: argumentsOf(args, at.shown), folder, timeoutMs: SEARCH_MS },
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
    if (found.full || end?.exitCode === 0 || end?.exitCode === 1) return success(found.result());
    if (end?.end === 'timed_out') {
      return {
        output: { error: 'timed_out', detail: `Not done after ${SEARCH_MS} ms.`, ...found.result() },
        failed: true,
      };
    }
    if (output['error'] !== undefined)
      return { output: { error: output['error'], detail: output['detail'] }, failed: true };
    // Files that could not be read end it with 2 as well, without a word; the rest was searched.
    return problem === '' ? success(found.result()) : failure(problem.trim());
  }
}

const PROBLEM_CHARACTERS = 1_000;

function argumentsOf(args: Args, target: string): readonly string[] {
  return [
    '--json',
    '--no-config',
    '--no-messages',
    '--hidden',
    '--no-require-git',
    ...(args.glob === undefined ? [] : ['--glob', args.glob]),
    '--glob',
    '!**/.git',
    '--regexp',
    args.pattern,
    '--',
    target,
  ];
}
