/**
 * A first try of test files, and a second one of those that failed in it. The second try runs whole files, in a process
 * of its own and alone on the machine: its tests may need what the tests before them did, and a hook or a process that
 * failed has no test to run again. What the second try says of its files counts.
 */
import type { ReportLine, Result } from './report';

/** What became of the files that one process ran. */
export interface Try {
  readonly results: readonly Result[];
  /** Files that were not run to their end. */
  readonly unfinished: readonly string[];
  /** How the process ended, where it did not end with its tests. */
  readonly trouble?: string;
}

/** What a piece of a suite came to. */
export interface Outcome {
  readonly suite: string;
  readonly results: readonly Result[];
  readonly trouble?: string;
  /** What failed the first time and not the second. */
  readonly again: readonly Again[];
}

/** A test or a hook by its title; the title of a process is how it ended. */
export interface Again {
  readonly file: string;
  readonly title: string;
}

/** What files a process ran, by what it told; `trouble` says how it ended, if not well. */
export function tryOf(files: readonly string[], lines: readonly ReportLine[], trouble?: string): Try {
  const results = lines.filter((line): line is Result => line.kind !== 'file' && line.kind !== 'end');
  if (lines.at(-1)?.kind === 'end') {
    // A test that failed is the reason of a bad end; without one, the process itself has failed.
    const isSaid = trouble === undefined || results.some(({ kind }) => kind === 'failed');
    return { results, unfinished: [], ...(isSaid ? {} : { trouble }) };
  }
  const begun = lines.findLast((line) => line.kind === 'file')?.file;
  const at = begun === undefined ? 0 : Math.max(0, files.indexOf(begun));
  return {
    results,
    unfinished: files.slice(at),
    trouble: trouble ?? 'The test process ended without a word.',
  };
}

/** Each once; what failed in no file is in none of them. */
export function filesOfFailed({ results }: Try): readonly string[] {
  const failed = results.filter(({ kind }) => kind === 'failed').map(({ file }) => file);
  return [...new Set(failed)].filter((file) => file !== '');
}

/** The files that a second try runs. What failed in no file (a leak, a crash behind the last test) may be of any. */
export function filesToTryAgain(files: readonly string[], first: Try): readonly string[] {
  const failed = first.results.filter(({ kind }) => kind === 'failed').map(({ file }) => file);
  const isAny = failed.some((file) => !files.includes(file));
  if (isAny || (first.trouble !== undefined && first.unfinished.length === 0)) return files;
  return files.filter((file) => failed.includes(file) || first.unfinished.includes(file));
}

export function outcomeOf(suite: string, first: Try): Outcome {
  const { results, trouble } = first;
  return { suite, results, again: [], ...(trouble === undefined ? {} : { trouble }) };
}

/** What both tries of `one` come to. */
export function outcomeOfBoth(
  suite: string,
  one: { readonly files: readonly string[]; readonly first: Try },
  again: { readonly files: readonly string[]; readonly second: Try },
): Outcome {
  const { first } = one;
  const { second } = again;
  const failedAgain = new Set(second.results.filter(({ kind }) => kind === 'failed').map(nameOf));
  const mended = first.results
    .filter((result) => result.kind === 'failed' && !failedAgain.has(nameOf(result)))
    .map(({ file, title }) => ({ file, title }));
  const ranOnce = one.files.filter((file) => !again.files.includes(file));
  return {
    suite,
    results: [...first.results.filter(({ file }) => ranOnce.includes(file)), ...second.results],
    // A second process that ended badly left tests out: what did not fail in it has not passed either.
    ...(second.trouble !== undefined
      ? { again: [], trouble: second.trouble }
      : {
          again: [...mended, ...(first.trouble === undefined ? [] : [{ file: '', title: first.trouble }])],
        }),
  };
}

const nameOf = ({ file, title }: Result): string => `${file} ${title}`;
