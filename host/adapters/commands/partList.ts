/** Gathers the parts of a line, with what stands inside of each, within bounds. */
import {
  PART_CHARACTERS,
  type Caution,
  type CommandPart,
  type Unreadable,
  type Word,
} from '../../engine/approvals/reading';
import { textOf } from '../../engine/approvals/commandRules';
import { lookAt } from './programs';

/** Parts of one line: a person could not judge more. */
const PARTS = 128;
/** How deep forms may stand in each other; a list of commands is as deep as it is long. */
const DEPTH = 200;

/** Ends the reading of a line. */
export class Unread extends Error {
  constructor(readonly reason: Unreadable) {
    super(reason);
  }
}

export interface Around {
  readonly depth: number;
  /** Set for what stands inside of another part. */
  readonly inside?: true | undefined;
  /** Why all of it asks. */
  readonly caution?: Cautioned | undefined;
}

export type Cautioned = { readonly kind: Caution; readonly of: string };

export interface Gathered {
  words: readonly Word[];
  text: string;
  caution: Cautioned | undefined;
  after: readonly string[] | undefined;
  inside: true | undefined;
  /** What joins it to the part before: `&&`, `|`, `;`. */
  joint: string;
}

export function within(around: Around): Around {
  if (around.depth >= DEPTH) throw new Unread('size');
  return { ...around, depth: around.depth + 1 };
}

/** The first reason stays: what is known of the program before what stands around it. */
export function warn(parts: readonly Gathered[], caution: Cautioned | undefined): void {
  for (const part of parts) part.caution ??= caution;
}

/** Nobody can say what will run. */
const isBlind = (caution: Cautioned | undefined): boolean =>
  caution?.kind === 'expansion' || caution?.kind === 'hidden';

export class PartList {
  readonly parts: Gathered[] = [];

  /** `again` reads code that stands in a word; it adds what it finds. */
  constructor(private readonly again: (code: string, around: Around) => void) {}

  add(words: readonly Word[], text: string, joint: string, around: Around): Gathered {
    if (this.parts.length >= PARTS) throw new Unread('size');
    const found = lookAt(words);
    const part: Gathered = {
      words,
      text: oneLine(text),
      caution: isBlind(found.caution) ? found.caution : (around.caution ?? found.caution),
      after: undefined,
      inside: around.inside,
      joint,
    };
    this.parts.push(part);
    const inner: Around = { ...within(around), inside: true, caution: found.caution };
    for (const command of found.commands ?? [])
      if (command.length > 0) this.add(command, command.map(shown).join(' '), '', inner);
    if (found.code !== undefined) this.code(found.code, part, inner);
    return part;
  }

  /** The parts are gathered: what is stored of them. */
  finished(): readonly CommandPart[] {
    return this.parts.map(({ words, text, caution, after, inside }) => ({
      words,
      text,
      ...(caution === undefined ? {} : { caution }),
      ...(after === undefined ? {} : { after }),
      ...(inside === undefined ? {} : { inside }),
    }));
  }

  private code(code: string, part: Gathered, inner: Around): void {
    try {
      this.again(code, inner);
    } catch (error) {
      if (!(error instanceof Unread) || error.reason === 'size') throw error;
      part.caution = { kind: 'hidden', of: textOf(part.words[0] ?? '') };
    }
  }
}

const shown = (word: Word): string => {
  if (typeof word !== 'string') return word.raw;
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word}'`;
};

export function oneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > PART_CHARACTERS ? `${line.slice(0, PART_CHARACTERS)}…` : line;
}
