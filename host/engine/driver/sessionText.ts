/**
 * The text of a session's file, read in pieces: of a file of 64 MiB no step takes longer than one of its turns does.
 * Nothing is kept of a turn before the next one is read.
 */
import { FILE_TURNS, say, SessionFileHead, SessionFileTurn } from '../../../protocol';
import { breath } from '../../base/clock';
import { parseJson, TooDeep } from '../../base/json';
import { RequestError } from '../errors';

export interface SessionText {
  readonly head: SessionFileHead;
  readonly count: number;
  /** Throws `invalid_params` for one that is not right, with its place. */
  turn(index: number): SessionFileTurn;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Characters that are looked at before others have their turn: some milliseconds. */
const BREATH_CHARS = 1024 * 1024;

/** Throws `invalid_params` for what is no session's file; what is wrong with it is said with the place where it is. */
export async function readSessionText(text: string): Promise<SessionText> {
  const turns = await turnsIn(text);
  const first = turns[0];
  const last = turns.at(-1);
  const rest =
    first === undefined || last === undefined ? text : `${text.slice(0, first.from)}${text.slice(last.to)}`;
  const head = checked(SessionFileHead.safeParse(parsed(rest)));
  if (turns.length > FILE_TURNS) throw unfit(say('it holds more than {most} turns.', { most: FILE_TURNS }));
  return {
    head,
    count: turns.length,
    turn: (index) => {
      const { from, to } = turns[index] ?? { from: 0, to: 0 };
      return checked(SessionFileTurn.safeParse(parsed(text.slice(from, to))), `turns.${String(index)}.`);
    },
  };
}

export const unfit = (why: string): RequestError =>
  new RequestError('invalid_params', say('This file cannot be imported: {why}', { why }));

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw unfit(
      error instanceof TooDeep
        ? error.message
        : say('it is no JSON. Choose a file that was exported as JSON.'),
    );
  }
}

type Parsed<T> =
  | { readonly success: true; readonly data: T }
  | {
      readonly success: false;
      readonly error: { readonly issues: readonly { path: PropertyKey[]; message: string }[] };
    };

function checked<T>(result: Parsed<T>, where = ''): T {
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw unfit(`${where}${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'it is not right.'}`);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENS = new Set([0x5b, 0x7b]);
const CLOSES = new Set([0x5d, 0x7d]);
const TURNS = /^"turns"\s*:\s*\[/;

/** Where the members of the list `turns` of the outermost object stand. What is no JSON is found by who reads it. */
async function turnsIn(text: string): Promise<readonly Place[]> {
  const places: Place[] = [];
  let depth = 0;
  let list = 0;
  let from = 0;
  let breathed = 0;
  const end = (to: number): void => {
    if (text.slice(from, to).trim() !== '') places.push({ from, to });
    from = to + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    if (at - breathed > BREATH_CHARS) {
      breathed = at;
      await breath();
    }
    const one = text.charCodeAt(at);
    if (one === QUOTE) {
      const opened = depth === 1 && list === 0 ? TURNS.exec(text.slice(at, at + 64)) : null;
      if (opened === null) {
        at = endOfText(text, at);
        continue;
      }
      at += opened[0].length - 1;
      depth += 1;
      list = depth;
      from = at + 1;
    } else if (OPENS.has(one)) depth += 1;
    else if (CLOSES.has(one)) {
      if (depth === list) {
        end(at);
        return places;
      }
      depth -= 1;
    } else if (one === COMMA && depth === list) end(at);
  }
  return places;
}

/** Where the text that begins here ends. */
function endOfText(json: string, begin: number): number {
  for (let at = json.indexOf('"', begin + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}
