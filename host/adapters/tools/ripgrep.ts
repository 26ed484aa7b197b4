/** Runs ripgrep for the tools that look through a folder: bounded, without what no tool may name, ended when enough is found. */
import { resolve } from 'node:path';
import type { CallResult, Prepared, Run, StopReason, Workplace } from '../../engine/ports';
import type { Launch } from '../../base/launch';
import { refuseNoFile } from './disk';
import { KeptBack } from './keptBack';
import { hiddenPaths, isWithin, locateAgain, realPath, type Located } from './paths';
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
  /** `full`: enough was found; the rest is not wanted. */
  add(output: string): 'full' | 'more';
  result(): Record<string, unknown>;
}

/** What one call looks for. */
export interface Looking {
  /** As the model wrote it. */
  readonly path: string;
  /** Of the names that are looked at. */
  readonly glob: string | undefined;
  /**
   * For ripgrep, which runs in the turn's folder; `target` is the path as it is shown. `leaveOut` are arguments that
   * keep it from opening files. Absent where only names are told.
   */
  args?(target: string, leaveOut: readonly string[]): readonly string[];
  /** `isShown` says whether anything may be told of a path. */
  gather(isShown: (path: string) => boolean): Gathering;
  /** What else the model is told of the place; paths are real ones. */
  note?(target: string, folder: string, isShown: (path: string) => boolean): Record<string, unknown>;
}

/** Links are not followed, git's own folder is left out, and what git ignores as well. */
export const LOOKING_ARGUMENTS: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--hidden',
  '--no-require-git',
];

/** Lists files, each with a NUL behind it. Git's own folder comes last, so that no glob of a model lets it in. */
const listing = (glob: string | undefined, target: string): readonly string[] => [
  '--files',
  '--null',
  ...LOOKING_ARGUMENTS,
  ...(glob === undefined ? [] : ['--glob', glob]),
  '--glob',
  '!**/.git',
  '--',
  target,
];

const LEFT_OUT =
  'Files in this place, whatever was looked for, that were not looked at: reading them is asked for or denied, one by one.';

const TOO_MANY =
  'Too many files in this place may not be read without asking. Name a folder or a file in it with fewer of them.';

/** What a place keeps back: how many files, and the arguments that keep ripgrep from them. */
interface LeftOut {
  readonly count: number;
  readonly args: readonly string[];
}

const NOTHING: LeftOut = { count: 0, args: [] };

/** Owns the runs of ripgrep for one call, the last of which it ends when enough was found. */
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
    const gate = place.gate?.(at.roots, at.real);
    const tells = what.args === undefined ? 'name' : 'text';
    const isShown = (shown: string): boolean => {
      const path = resolve(folder, shown);
      return !hidden.some((one) => isWithin(one, path)) && gate?.[tells](path) !== false;
    };
    const keeps = gate?.keeps === true || hidden.some((one) => isWithin(at.real, one));
    const left = keeps ? await this.leftOut(at, folder, isShown) : NOTHING;
    if ('failed' in left) return left;
    const found = what.gather(isShown);
    const args = what.args?.(at.shown, left.args) ?? listing(what.glob, at.shown);
    const problem = await this.ask(args, folder, (text) => found.add(text));
    const output = {
      ...found.result(),
      ...(left.count === 0 ? {} : { left_out: left.count, left_out_why: LEFT_OUT }),
      ...what.note?.(at.real, folder, isShown),
    };
    if (problem === undefined) return success(output);
    return problem.output['error'] === 'timed_out'
      ? { ...problem, output: { ...problem.output, ...output } }
      : problem;
  }

  /** The number tells nothing of what is looked for: neither a pattern nor a glob has a part in it. */
  private async leftOut(
    at: Located,
    folder: string,
    isShown: (path: string) => boolean,
  ): Promise<LeftOut | CallResult> {
    const all = new KeptBack(at.shown, isShown);
    const problem = await this.ask(listing(undefined, at.shown), folder, (text) => all.add(text));
    if (problem !== undefined) return problem;
    if (this.what.args === undefined) return { count: all.count, args: [] };
    const looked = await this.looked(at, folder, isShown, all);
    if ('failed' in looked) return looked;
    const args = looked.arguments(folder);
    return args === undefined ? failure(TOO_MANY) : { count: all.count, args };
  }

  /** A glob lets files in that git ignores, so they are listed by it as well. */
  private async looked(
    at: Located,
    folder: string,
    isShown: (path: string) => boolean,
    all: KeptBack,
  ): Promise<KeptBack | CallResult> {
    const { glob } = this.what;
    if (glob === undefined) return all;
    const kept = new KeptBack(at.shown, isShown);
    return (await this.ask(listing(glob, at.shown), folder, (text) => kept.add(text))) ?? kept;
  }

  /** One run of ripgrep, whose output `take` gets until it is full. Undefined when it went well. */
  private async ask(
    args: readonly string[],
    folder: string,
    take: (output: string) => 'full' | 'more',
  ): Promise<CallResult | undefined> {
    const before = this.wasStopped();
    if (before !== undefined) return before;
    const seen = { problem: '', full: false };
    this.program = this.programs.program(
      { file: this.ripgrep, args, folder, timeoutMs: SEARCH_MS },
      this.launch,
      (stream, text) => {
        if (stream === 'stderr') seen.problem = (seen.problem + text).slice(0, PROBLEM_CHARACTERS);
        else if (take(text) === 'full') {
          seen.full = true;
          void this.program?.stop('stopped');
        }
      },
    );
    const { output, end } = await this.program.done;
    const meanwhile = this.wasStopped();
    if (meanwhile !== undefined) return meanwhile;
    if (seen.full || end?.exitCode === 0 || end?.exitCode === 1) return undefined;
    if (end?.end === 'timed_out')
      return { output: { error: 'timed_out', detail: `Not done after ${SEARCH_MS} ms.` }, failed: true };
    if (output['error'] !== undefined)
      return { output: { error: output['error'], detail: output['detail'] }, failed: true };
    // Files that could not be read end it with 2 as well, without a word; the rest was searched.
    return seen.problem === '' ? undefined : failure(seen.problem.trim());
  }
}

const PROBLEM_CHARACTERS = 1_000;
