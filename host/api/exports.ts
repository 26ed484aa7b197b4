/**
 * Documents on their way to a client, in pieces that neither hold up the host's thread nor fill a message.
 *
 * Owns: the documents of which a next piece may be asked for. Nothing of them is a fact: an export whose host has gone
 * is begun anew.
 * X1 A piece is PIECE_CHARS long, or one text more. X2 A cursor is good once.
 */
import { say, SESSION_FILE_BYTES } from '../../protocol';
import { breath, type Clock, type Timer } from '../base/clock';
import { RequestError } from '../engine/errors';

/** One piece, characters: copied to another thread in about a millisecond. */
const PIECE_CHARS = 1024 * 1024;
/** Characters that are made before others have their turn. */
const BREATH_CHARS = 256 * 1024;
/** Documents that are under way at once: of each up to one turn is in memory. */
const AT_ONCE = 4;
/** How long a next piece is waited for, ms: a disk that is slower than this has hung. */
const IDLE_MS = 60_000;

export interface Piece {
  text: string;
  next?: string;
}

export interface Exports {
  /** The whole at once; `limit_exceeded` when it is longer than one message may be. */
  whole(texts: AsyncGenerator<string, void>): Promise<Piece>;
  /** The first piece of a document, or the one that `cursor` stands for. */
  piece(cursor: string | undefined, begin: () => AsyncGenerator<string, void>): Promise<Piece>;
}

interface UnderWay {
  readonly texts: AsyncGenerator<string, void>;
  readonly idle: Timer;
}

export function createExports(clock: Clock): Exports {
  const underWay = new Map<string, UnderWay>();
  let count = 0;

  const drop = (cursor: string): UnderWay | undefined => {
    const found = underWay.get(cursor);
    found?.idle.clear();
    underWay.delete(cursor);
    return found;
  };
  const keep = (texts: AsyncGenerator<string, void>): string => {
    const [oldest] = underWay.keys();
    if (oldest !== undefined && underWay.size >= AT_ONCE) drop(oldest);
    const cursor = String(++count);
    underWay.set(cursor, { texts, idle: clock.after(IDLE_MS, () => drop(cursor)) });
    return cursor;
  };

  return {
    whole: async (texts) => {
      const { text, isOver } = await gather(texts, SESSION_FILE_BYTES);
      if (isOver) return { text };
      throw new RequestError(
        'limit_exceeded',
        say('This is too long for one reply: ask for it in pieces ("pieces": true).'),
      );
    },
    piece: async (cursor, begin) => {
      const texts = cursor === undefined ? begin() : drop(cursor)?.texts;
      if (texts === undefined)
        throw new RequestError('invalid_params', say('This export is no longer under way: begin it anew.'));
      const { text, isOver } = await gather(texts, PIECE_CHARS);
      return isOver ? { text } : { text, next: keep(texts) };
    },
  };
}

/** Texts of a document up to a length, or to its end. */
async function gather(
  texts: AsyncGenerator<string, void>,
  most: number,
): Promise<{ text: string; isOver: boolean }> {
  const gathered: string[] = [];
  let length = 0;
  let made = 0;
  while (length < most) {
    const { value, done } = await texts.next();
    if (done === true) return { text: gathered.join(''), isOver: true };
    gathered.push(value);
    length += value.length;
    made += value.length;
    if (made < BREATH_CHARS) continue;
    made = 0;
    await breath();
  }
  return { text: gathered.join(''), isOver: false };
}
