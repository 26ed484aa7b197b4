/**
 * A command as a real grammar has read it (A10). Plain data: it is made once, when a call is prepared, and stored
 * with it, so that every later judgement sees the same.
 */

/**
 * One word of a command, without its quotes. An object stands for one that the shell changes before the command gets
 * it (a variable, a pattern, braces): `raw` is how it is written, `value` what it comes to where that is known.
 */
export type Word = string | { readonly raw: string; readonly value?: string | undefined };

/** Why a part always asks, whatever rules there are. */
export type Caution =
  | 'assignment'
  | 'substitution'
  /** The name of the command itself is not known before it runs. */
  | 'expansion'
  | 'redirection'
  | 'heredoc'
  | 'background'
  /** Branches, loops, groups, subshells, functions. */
  | 'construct'
  /** It stands behind a change of folder that may or may not have happened. */
  | 'moved'
  /** It changes what later commands of the line mean. */
  | 'shell_state'
  | 'wrapper'
  | 'interpreter'
  /** It runs code that is not written in the line. */
  | 'hidden'
  /** `find` with an action that deletes, writes or runs. */
  | 'action'
  /** A form that is none of those known to be harmless. */
  | 'odd';

/** One simple command of a line, or a form around some. */
export interface CommandPart {
  /** None for a form that is no command by itself: an assignment, a loop. */
  readonly words: readonly Word[];
  /** As it is written, on one line, cut at `PART_CHARACTERS`. */
  readonly text: string;
  readonly caution?: { readonly kind: Caution; readonly of: string } | undefined;
  /** The folders that the line surely changes to before it. */
  readonly after?: readonly string[] | undefined;
  /** It was found inside of another part: in a substitution, a loop, the string of `sh -c`. */
  readonly inside?: true | undefined;
}

/** Why a line could not be read. */
export type Unreadable = 'shell' | 'syntax' | 'characters' | 'size' | 'empty' | 'unread';

export type CommandReading =
  | { readonly kind: 'parsed'; readonly parts: readonly CommandPart[] }
  | { readonly kind: 'unparsed'; readonly reason: Unreadable };

/** A file that a further word of a command names, as it was when the call was prepared. */
export interface NamedFile {
  /** The path as it stands in the word. */
  readonly name: string;
  /** Absolute and real: links are followed. */
  readonly path: string;
  /** In the command's folder. */
  readonly inside: boolean;
}

/** What a rule may name of a call; one path of several decides for all. */
export type Subject =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** Absolute path. */
      readonly folder: string;
      /** Absent in what was prepared before commands were read: it asks. */
      readonly reading?: CommandReading | undefined;
      /** Of commands that a rule may allow with further words: those of their words that are there. */
      readonly files?: readonly NamedFile[] | undefined;
    }
  /** Text for a program that runs already; it may be a command, and nobody knows in which language. */
  | {
      readonly kind: 'typed';
      readonly command: string;
      readonly folder: string;
      readonly reading: CommandReading;
    }
  | { readonly kind: 'path'; readonly path: string; readonly roots?: Roots }
  | { readonly kind: 'paths'; readonly paths: readonly string[]; readonly roots?: Roots }
  | { readonly kind: 'none' };

/** The workspace's folders, absolute and without links: names count from there on, and whole paths elsewhere. */
export type Roots = readonly string[] | undefined;

/** The subject of a call for these places. */
export function subjectOf(
  places: readonly { readonly real: string; readonly roots?: Roots }[],
): Extract<Subject, { kind: 'path' | 'paths' | 'none' }> {
  const [first, ...rest] = places;
  if (first === undefined) return { kind: 'none' };
  const around = first.roots === undefined ? {} : { roots: first.roots };
  return rest.length === 0
    ? { kind: 'path', path: first.real, ...around }
    : { kind: 'paths', paths: places.map((at) => at.real), ...around };
}

/** What a person may change of a call before allowing it. */
export interface Editable {
  /** Its command: `command` of its arguments, which is its subject too. */
  readonly editable?: true | undefined;
  /** The command as the agent wrote it, where a person has changed it. */
  readonly editedFrom?: string | undefined;
}

/** Reads command lines. It never rejects: what cannot be read says so. */
export interface CommandPort {
  /** In the language of the shell that runs commands. */
  read(command: string): Promise<CommandReading>;
}

/** Characters of a part's text: it names the part, and the command itself is kept beside it. */
export const PART_CHARACTERS = 100;

/** The parts that are the line itself, and not found inside of others. */
export const ownParts = (reading: CommandReading): readonly CommandPart[] =>
  reading.kind === 'parsed' ? reading.parts.filter((part) => part.inside !== true) : [];
