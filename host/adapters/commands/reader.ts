/** Reads command lines into parts, in the language of the shell that will run them (A10). */
import { COMMAND_BYTES } from '../../../protocol';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { programName } from '../../engine/approvals/commandRules';
import type { CommandReading, Unreadable } from '../../engine/approvals/reading';
import { readBash } from './bash';
import { tellPlaces } from './folderMoves';
import { loadGrammar, type Grammar, type ParserOf } from './grammars';
import { PartList, Unread, type Around } from './partList';
import { readPowerShell } from './powershell';

export interface ReaderOptions {
  /** Folder with the files of the grammars. */
  readonly assets: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CommandReader {
  /** `shell` is a path or name of the program that will run it. Never rejects. */
  readonly read: (command: string, shell: string) => Promise<CommandReading>;
}

/** For one line, ms: a line that a person could judge takes two. */
const READ_MS = 150;

const POSIX = /^(ba|z|da|a|k|mk)?sh$/;

/**
 * What shells and grammars do not agree about: controls, and blanks other than space, tab and line break; and quotes
 * and dashes that PowerShell takes for its own.
 */
const UNSEEN = /[^\P{C}\t\n]|[^\P{Z} ]/u;
const LOOKALIKES = /[\u2010-\u2015\u2018-\u201f]/;
/** Grammar and shell take a word apart differently when its line goes on in the middle of it. */
const BROKEN_WORD = /(^|[^ \t])\\\n/;

const unparsed = (reason: Unreadable): CommandReading => ({ kind: 'unparsed', reason });

export function createCommandReader({ assets, clock, log }: ReaderOptions): CommandReader {
  const parsers = new Map<Grammar, ParserOf>();
  const parser = async (grammar: Grammar): Promise<ParserOf> => {
    const made = parsers.get(grammar) ?? (await loadGrammar(assets, grammar));
    parsers.set(grammar, made);
    return made;
  };
  return {
    read: async (command, shell) => {
      const grammar = grammarOf(shell);
      if (grammar === undefined) return unparsed('shell');
      const flaw = flawOf(command, grammar);
      if (flaw !== undefined) return unparsed(flaw);
      try {
        return new Reading(grammar, await parser(grammar), clock).read(command);
      } catch (error) {
        if (error instanceof Unread) return unparsed(error.reason);
        log('error', `A command could not be read: ${String(error)}`);
        return unparsed('unread');
      }
    },
  };
}

function grammarOf(shell: string): Grammar | undefined {
  const name = programName(shell);
  if (POSIX.test(name)) return 'bash';
  return name === 'powershell' || name === 'pwsh' ? 'powershell' : undefined;
}

function flawOf(command: string, grammar: Grammar): Unreadable | undefined {
  if (Buffer.byteLength(command) > COMMAND_BYTES) return 'size';
  if (command.trim() === '') return 'empty';
  if (UNSEEN.test(command)) return 'characters';
  if (grammar === 'powershell') return LOOKALIKES.test(command) ? 'characters' : undefined;
  return BROKEN_WORD.test(command) ? 'syntax' : undefined;
}

class Reading {
  private readonly until: number;
  private readonly list: PartList;

  constructor(
    private readonly grammar: Grammar,
    private readonly parser: ParserOf,
    private readonly clock: Clock,
  ) {
    this.until = clock.now() + READ_MS;
    this.list = new PartList((code, around) => {
      const flaw = flawOf(code, grammar);
      if (flaw !== undefined) throw new Unread(flaw);
      this.parse(code, around);
    });
  }

  read(command: string): CommandReading {
    this.parse(command, { depth: 0 });
    if (this.list.parts.length === 0) return unparsed('empty');
    tellPlaces(this.list.parts);
    return { kind: 'parsed', parts: this.list.finished() };
  }

  private parse(text: string, around: Around): void {
    const read = this.parser.read(text, this.clock, this.until, (root) => {
      const each = this.grammar === 'bash' ? readBash : readPowerShell;
      each(root, text, this.list, around);
    });
    if (read === 'size') throw new Unread('size');
    if (read === 'syntax') throw new Unread('syntax');
  }
}
