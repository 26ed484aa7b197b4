/** The last lines of a run: what failed, what passed only when it was run again, and one line that adds all up. */
import type { Outcome } from './tries';

/** All closing lines together at most: a log that is shown by its end shows all of them. */
const MOST_LINES = 60;
/** Of one error: its message, and where it was thrown. */
const MOST_OF_AN_ERROR = 8;
/** Characters; what is longer is an object that was printed whole. */
const LINE_WIDTH = 180;

interface Failure {
  readonly where: string;
  readonly title: string;
  readonly error: string;
}

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Of the passed, those that failed the first time; hooks and processes are counted with them. */
  readonly again: number;
}

export function closingLines(outcomes: readonly Outcome[]): readonly string[] {
  const failures = outcomes.flatMap(failuresOf);
  const again = outcomes.flatMap(({ suite, again }) =>
    again.map(({ file, title }) => `  ${whereOf(suite, file)}: ${title}`),
  );
  const room = MOST_LINES - 1;
  const retold = again.length === 0 ? [] : cut(['Passed only when run again:', ...again], room / 3);
  const failed =
    failures.length === 0 ? [] : cut(toldOf(failures, room - retold.length), room - retold.length);
  return [...failed, ...retold, sentence(countsOf(outcomes))].map((line) => line.slice(0, LINE_WIDTH));
}

/** The process of a piece that did not end with its tests is a failure of its own. */
function failuresOf({ suite, results, trouble }: Outcome): Failure[] {
  const found = results.flatMap((result) =>
    result.kind === 'failed'
      ? [{ where: whereOf(suite, result.file), title: result.title, error: result.error }]
      : [],
  );
  return trouble === undefined ? found : [...found, { where: suite, title: trouble, error: '' }];
}

const whereOf = (suite: string, file: string): string => (file === '' ? suite : `${suite}, ${file}`);

/** Each with as much of its error as all of them have room for. */
function toldOf(failures: readonly Failure[], room: number): string[] {
  const each = Math.floor((room - 1) / failures.length) - 2;
  const lines = Math.max(1, Math.min(MOST_OF_AN_ERROR, each));
  return [
    'Failed:',
    ...failures.flatMap(({ where, title, error }) => [
      `  ${where}`,
      `    ${title}`,
      ...firstOf(error, lines).map((line) => `      ${line}`),
    ]),
  ];
}

/** The first lines that say something: of the stack only where it lies in this checkout. */
function firstOf(error: string, most: number): readonly string[] {
  return error
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^\s*at .*(node:|node_modules)/.test(line))
    .slice(0, most);
}

function cut(lines: readonly string[], most: number): readonly string[] {
  const kept = Math.floor(most);
  if (lines.length <= kept) return lines;
  return [...lines.slice(0, kept - 1), `  … and ${String(lines.length - kept + 1)} more lines, above`];
}

export function countsOf(outcomes: readonly Outcome[]): Counts {
  const of = (kind: 'passed' | 'failed' | 'skipped'): number =>
    outcomes.flatMap(({ results }) => results.filter((result) => result.kind === kind)).length;
  return {
    passed: of('passed'),
    failed: of('failed') + outcomes.filter(({ trouble }) => trouble !== undefined).length,
    skipped: of('skipped'),
    again: outcomes.flatMap(({ again }) => again).length,
  };
}

export function sentence({ passed, failed, skipped, again }: Counts): string {
  return [
    `${passed} passed`,
    `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(again > 0 ? [`${again} of them passed only when run again`] : []),
  ].join(', ');
}
