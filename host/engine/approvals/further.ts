/**
 * Commands that a rule may allow with further words behind them (A3, A10). They are let through by name, and so are
 * their options: what is not known here can be allowed word by word, by one rule for each line. Pure.
 */
import type { CommandPart, Word } from './reading';

interface Command {
  /** Its first words; a pattern stands for one word that the rule names. */
  readonly head: readonly (string | RegExp)[];
  /** Options that only choose what is looked at, or how it is shown. */
  readonly options: RegExp;
  /** Options count only behind `--`: before it they would be those of the program that starts the script. */
  readonly behindDashes?: true;
  /** It may run the files that its further words name. */
  readonly runs?: true;
  /** Which names it takes, where it would run a file of any. */
  readonly tests?: (name: string) => boolean;
}

/**
 * What a package calls a script that checks or builds it. One of another name may be an interpreter, which runs the
 * files that it is given.
 */
const SCRIPT = /^(lint|typecheck|types|format|build)([:.-][\w:.-]*)?$/;

/** Those that run the tests, and with many test programs any file that is named. */
const TEST_SCRIPT = /^(test|tests|unit|e2e|spec|check)([:.-][\w:.-]*)?$/;

/** Those that say which tests run and how much is printed, and mean nothing else to other programs. */
const OF_SCRIPTS =
  /^(-[tgvq]|--(grep|testNamePattern|test-name-pattern|testPathPattern|watch=false|bail|verbose|silent|quiet|coverage|runInBand|no-color|colors?))$/;

const OF_PYTEST =
  /^(-[kmxvqsl]|-vv|--(maxfail|lf|ff|last-failed|failed-first|tb|verbose|quiet|durations|color|no-header))$/;

/** What is printed of which commits and files; none that writes a file or runs a filter. */
const OF_GIT =
  /^(-\d+|-[npsbwi]|-[nU]\d+|--(stat|shortstat|numstat|summary|cached|staged|name-only|name-status|check|patch|oneline|graph|all|decorate|reverse|merges|no-merges|first-parent|follow|abbrev-commit|no-patch|max-count|since|until|after|before|author|grep|pretty|format|date|unified|diff-filter|word-diff|color|no-color|ignore-all-space|ignore-space-change|no-ext-diff|no-textconv|porcelain|short|branch|untracked-files))$/;

const OF_CARGO =
  /^(-[pvq]|--(release|lib|bins?|tests?|examples?|workspace|all-targets|all-features|no-default-features|features|package|verbose|quiet|locked|offline|nocapture|exact|ignored|test-threads|no-run|no-fail-fast))$/;

/**
 * A word without a path and an ending is what to look for, or a folder; a file has a name that tests have, or is in a
 * folder that has. The name alone of a file beside the package is taken for a word: the rule says that it may be run.
 */
function ofTests(word: string): boolean {
  const names = word.split('/').filter((name) => name !== '.' && name !== '');
  const last = names.at(-1) ?? '';
  if (names.some((name) => /^(__tests__|tests?|specs?|unit|e2e)$/.test(name))) return true;
  return last.includes('.')
    ? /^test[_.-].*\.\w+$|[_.-](test|tests|spec|e2e|unit)\.\w+$/i.test(last)
    : names.length < 2;
}

/** As pytest looks for them by itself; of folders it takes no others, and a part of a file is behind `::`. */
function ofPytest(word: string): boolean {
  const last = (word.split('::')[0] ?? '').split('/').findLast((name) => name !== '.' && name !== '') ?? '';
  return !last.includes('.') || /^(test_.*|.*_test)\.py$/.test(last);
}

const TESTS = { options: OF_SCRIPTS, runs: true, tests: ofTests } as const;

const COMMANDS: readonly Command[] = [
  { ...TESTS, head: ['npm', 'test'], behindDashes: true },
  { ...TESTS, head: ['npm', 'run', TEST_SCRIPT], behindDashes: true },
  { head: ['npm', 'run', SCRIPT], options: OF_SCRIPTS, behindDashes: true, runs: true },
  // Behind `run` these two start programs of any name.
  { ...TESTS, head: ['pnpm', 'test'] },
  { ...TESTS, head: ['yarn', 'test'] },
  { head: ['pytest'], options: OF_PYTEST, runs: true, tests: ofPytest },
  ...['test', 'check', 'build', 'clippy'].map((what) => ({ head: ['cargo', what], options: OF_CARGO })),
  ...['status', 'diff', 'log', 'show'].map((what) => ({ head: ['git', what], options: OF_GIT })),
  { head: ['ls'], options: /^-(-[a-z-]+|[A-Za-z0-9]+)$/ },
];

/** The first words of a command that may have further ones; undefined where it is none of those. */
export function furtherHead(part: CommandPart): readonly string[] | undefined {
  const command = commandOf(part.words);
  const head = part.words.slice(0, command?.head.length ?? 0).filter(isPlainWord);
  return command === undefined || part.caution !== undefined || !isInFolder(part) ? undefined : head;
}

/** Behind no change of folder: words that are paths mean those of the rule's folder. */
export const isInFolder = ({ after = [] }: CommandPart): boolean => after.length === 0;

/** Whether `words` are the rule's own ones with such behind them as run nothing else. */
export function isFurther(words: readonly Word[], head: readonly Word[]): boolean {
  const command = commandOf(head);
  if (command?.head.length !== head.length) return false;
  if (!head.every((word, at) => isPlainWord(word) && words[at] === word)) return false;
  const rest = words.slice(head.length);
  const dashes = command.behindDashes === true ? rest.indexOf('--') : 0;
  return rest.every((word, at) => {
    if (!isPlainWord(word)) return false;
    if (word === '--') return true;
    if (!word.startsWith('-')) return isHarmless(word) && command.tests?.(word) !== false;
    const [option = '', ...value] = word.split('=');
    const isKnown = command.options.test(option) || command.options.test(word);
    return isKnown && dashes !== -1 && at >= dashes && (value.length === 0 || isHarmless(value.join('=')));
  });
}

/** Whether these are the first words of such a command, and no more. */
export const isFurtherHead = ([part, ...others]: readonly CommandPart[]): boolean =>
  part !== undefined && others.length === 0 && furtherHead(part)?.length === part.words.length;

/** Whether files that further words name may be run: a rule for it says so. */
export const mayRunFiles = ([part]: readonly CommandPart[]): boolean =>
  commandOf(part?.words ?? [])?.runs === true;

/**
 * What may be a path in a word: the word, the value of an option, and what stands behind a colon, as in `HEAD:.env`.
 */
export function pathsIn(word: string): readonly string[] {
  const whole = word.startsWith('-') ? word.split('=').slice(1).join('=') : word;
  const parts = whole.split(':');
  return [...new Set(parts.flatMap((part, at) => [parts.slice(at).join(':'), part]))].filter(
    (path) => path !== '',
  );
}

const commandOf = (words: readonly Word[]): Command | undefined =>
  COMMANDS.find(({ head }) =>
    head.every((own, at) => {
      const word = words[at];
      return isPlainWord(word) && (typeof own === 'string' ? own === word : own.test(word));
    }),
  );

const isPlainWord = (word: Word | undefined): word is string => typeof word === 'string';

/**
 * What stands for itself wherever it is read once more: old npm and pnpm put these words into a line of a shell, within
 * double quotes, and on Windows `cmd.exe` reads those of a `.cmd` file. So no quotes, no `$`, `%`, `!`, `\\`, no signs
 * of a list, pipe, redirection or pattern, no line break. Modifier letters and clicks are left out since a code page of
 * Windows makes quotes and `|` of some.
 */
const PLAIN = /^(?:(?![\u01c0-\u01c3])[\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{N}_./:=,@+ ~^-])+$/u;

/**
 * A name, or a path that stays in the folder: none that is absolute or goes up, no drive or address, no list of
 * arguments in a file, and nothing that could mean more than itself.
 */
function isHarmless(word: string): boolean {
  if (!PLAIN.test(word) || /^([/~@:+]|[\p{L}\p{N}+.-]+:(?!:))/u.test(word)) return false;
  return !word.split('/').includes('..');
}
