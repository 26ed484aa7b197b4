/** Further words of a command that lead elsewhere, or to a file whose reading asks or is denied (A1, A10). Pure. */
import type { RuleRecord } from '../records';
import { isOfFiles, isSecret, namesFile } from './files';
import { pathsIn } from './further';
import type { CommandPart, NamedFile, Subject } from './reading';

type CommandSubject = Extract<Subject, { kind: 'command' | 'typed' }>;

interface Around {
  readonly rules: readonly RuleRecord[];
  /** Whether files that commonly hold secrets are asked for before they are read. */
  readonly protectedReads?: boolean | undefined;
}

/** Whether a word of the part names a file that its folder does not hold, or one that would not be read unasked. */
export function strays(subject: CommandSubject, { rules, protectedReads = false }: Around) {
  const kept = rules.flatMap(({ effect, match }) =>
    effect !== 'allow' && isOfFiles(match) && match.access === 'read' ? match : [],
  );
  const isKept = (path: string): boolean =>
    // A folder is kept when what is in it is.
    kept.some((match) => namesFile(match, path) || namesFile(match, `${path}/file`)) ||
    (protectedReads && isSecret(path));
  const files = subject.kind === 'command' ? (subject.files ?? []) : [];
  return ({ words }: CommandPart): boolean =>
    words
      .flatMap((word) => (typeof word === 'string' ? pathsIn(word) : []))
      .some((name) => {
        const there = files.find((file) => file.name === name);
        return there?.inside === false || pathsOf(name, subject.folder, there).some(isKept);
      });
}

/** As it is written, and as it leads. */
function pathsOf(name: string, folder: string, there: NamedFile | undefined): readonly string[] {
  const plain = name.split('/').filter((part) => part !== '' && part !== '.');
  return [[folder, ...plain].join('/'), ...(there === undefined ? [] : [there.path])];
}
