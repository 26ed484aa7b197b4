/**
 * A session as a document, made in texts that come one behind the other: no more than one turn of it is in memory, and
 * no step of the way takes longer than a few events do.
 */
import { foldTranscript, TOLD, type SessionId, type TurnId, type TurnView } from '../../protocol';
import { breath } from '../base/clock';
import { refuse } from '../engine/errors';
import { BEFORE_ALL, type StoredEvent } from '../engine/ledger';
import { sessionView } from '../engine/views';
import type { Host } from './host';

/** Events that are read at a time: each may show 64 KiB of a result, or pictures. */
const EVENTS_AT_ONCE = 8;

type Texts = AsyncGenerator<string, void>;

/** The document up to what is stored now; what comes meanwhile is left out. Throws `session_unknown`. */
export async function* sessionDocument(
  host: Host,
  session: SessionId,
  format: 'markdown' | 'json' = 'markdown',
): Texts {
  const { row, view, until } = await host.look((tables) => {
    const found = tables.session(session);
    if (found === undefined) throw refuse('session_unknown', { session });
    return { row: found, view: sessionView(found, tables.lastTurn(session)), until: tables.lastSeq() };
  });
  const isJson = format === 'json';
  yield isJson
    ? `{\n  "version": 1,\n  "session": ${indented(view, 1)},\n  "turns": [`
    : `# ${row.title === '' ? row.id : row.title}`;
  let isFirst = true;
  for (let turn: TurnId | undefined; ;) {
    const behind = turn;
    turn = await host.look((tables) => tables.turnAfter(session, behind));
    if (turn === undefined) break;
    const seen = await viewUntil(host, turn, until);
    if (seen === undefined) continue;
    if (isJson) {
      yield isFirst ? '\n    ' : ',\n    ';
      yield* jsonOf(host, seen, until);
    } else yield* markdownOf(seen);
    isFirst = false;
  }
  yield isJson ? `${isFirst ? '' : '\n  '}]\n}` : '\n';
}

async function* pieces(
  host: Host,
  turn: TurnId,
  until: number,
): AsyncGenerator<readonly StoredEvent[], void> {
  for (let after = BEFORE_ALL; ;) {
    const from = after;
    const piece = await host.look((tables) => tables.turnEventPage(turn, from, until, EVENTS_AT_ONCE));
    yield piece;
    await breath();
    const last = piece.at(-1);
    if (last === undefined || piece.length < EVENTS_AT_ONCE) return;
    after = last.event.seq;
  }
}

async function viewUntil(host: Host, turn: TurnId, until: number): Promise<TurnView | undefined> {
  let views: readonly TurnView[] = [];
  for await (const piece of pieces(host, turn, until))
    views = foldTranscript(
      piece.map(({ event }) => event),
      views,
    );
  return views[0];
}

const IS_TOLD: ReadonlySet<string> = new Set(TOLD);

/** A turn as it reads, and as it was told: that is what an import takes (`SessionFileTurn`). */
async function* jsonOf(host: Host, { parts, ...view }: TurnView, until: number): Texts {
  yield `${indented(view, 2).slice(0, -'\n    }'.length)},\n      "parts": [`;
  yield* listed(parts);
  yield '],\n      "told": [';
  let isFirst = true;
  for await (const piece of pieces(host, view.turn, until)) {
    const told = piece.filter(({ event }) => IS_TOLD.has(event.type)).map(toldOf);
    yield* listed(told, isFirst);
    isFirst &&= told.length === 0;
  }
  yield ']\n    }';
}

const toldOf = ({ event: { at, type, data }, hidden }: StoredEvent) => ({
  at,
  type,
  data,
  ...(hidden?.calls === undefined ? {} : { calls: hidden.calls }),
});

function* listed(items: readonly unknown[], isFirst = true): Generator<string, void> {
  for (const [at, item] of items.entries())
    yield `${isFirst && at === 0 ? '' : ','}\n        ${indented(item, 4)}`;
}

/** JSON with its lines moved in; a line break inside a text is no line of it. */
const indented = (value: unknown, depth: number): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);

/** A fence that no line of the text can close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function* markdownOf(turn: TurnView): Generator<string, void> {
  for (const part of turn.parts) {
    const text = partText(part);
    if (text !== undefined) yield `\n\n${text}`;
  }
  if (turn.status !== 'completed')
    yield `\n\n_This turn: ${turn.status}${turn.code === undefined ? '' : ` (${turn.code})`}._`;
}

function partText(part: TurnView['parts'][number]): string | undefined {
  switch (part.kind) {
    case 'message':
      return `## You\n\n${part.text}`;
    case 'text':
      return `## Agent\n\n${part.text}`;
    case 'call':
      return `### ${part.title}\n\n${fenced(JSON.stringify({ args: part.args, result: part.result ?? null }, null, 2))}`;
    case 'note':
      return fenced(part.text);
    case 'lift':
      return `_Your message moved ${part.title} to ${part.handle}._`;
    default:
      return undefined;
  }
}
