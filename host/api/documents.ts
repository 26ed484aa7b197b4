/** Documents made of what is kept: a session to read or to keep, and the audit. */
import { TOLD, type AuditEntry, type SessionId, type TurnView } from '../../protocol';
import { refuse } from '../engine/errors';
import { sessionView } from '../engine/views';
import { viewOf, type Tables } from '../store/ledger';
import { number } from '../store/rows';
import type { AuditWanted } from '../store/tables/audit';
import type { Handlers } from './handler';

/** Rows that are read at a time. */
const PIECE = 256;

function turnsOf(tables: Tables, session: SessionId): TurnView[] {
  const views: TurnView[] = [];
  for (let before: number | undefined; ;) {
    const turns = tables.turns(session, before, PIECE);
    views.unshift(...[...turns].reverse().flatMap((turn) => [...viewOf(tables, turn.id)]));
    const oldest = turns.at(-1);
    if (oldest === undefined || turns.length < PIECE) return views;
    before = number(oldest.id);
  }
}

const IS_TOLD: ReadonlySet<string> = new Set(TOLD);

/** A turn as it reads, and, once it has ended, as it was told: that is what an import takes (`SessionFile`). */
function withTold(tables: Tables, view: TurnView): TurnView & { readonly told?: unknown } {
  if (view.endedAt === undefined) return view;
  const told = tables
    .turnEvents(view.turn)
    .filter(({ event }) => IS_TOLD.has(event.type))
    .map(({ event: { at, type, data }, hidden }) => ({
      at,
      type,
      data,
      ...(hidden?.calls === undefined ? {} : { calls: hidden.calls }),
    }));
  return { ...view, told };
}

function auditOf(tables: Tables, wanted: AuditWanted): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (let before: number | undefined; ;) {
    const page = tables.auditPage(wanted, before, PIECE);
    entries.unshift(...[...page].reverse());
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < PIECE) return entries;
    before = oldest.id;
  }
}

/** A fence that no line of the text can close. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

function markdownOf(title: string, turns: readonly TurnView[]): string {
  const parts = turns.flatMap((turn) => [
    ...turn.parts.flatMap((part) => {
      switch (part.kind) {
        case 'message':
          return [`## You\n\n${part.text}`];
        case 'text':
          return [`## Agent\n\n${part.text}`];
        case 'call':
          return [
            `### ${part.title}\n\n${fenced(JSON.stringify({ args: part.args, result: part.result ?? null }, null, 2))}`,
          ];
        case 'note':
          return [fenced(part.text)];
        case 'lift':
          return [`_Your message moved ${part.title} to ${part.handle}._`];
        default:
          return [];
      }
    }),
    ...(turn.status === 'completed'
      ? []
      : [`_This turn: ${turn.status}${turn.code === undefined ? '' : ` (${turn.code})`}._`]),
  ]);
  return [`# ${title}`, ...parts].join('\n\n');
}

export const documentHandlers: Handlers = {
  'session/export': (params, host) =>
    host.look((tables) => {
      const row = tables.session(params.session);
      if (row === undefined) throw refuse('session_unknown', { session: params.session });
      const turns = turnsOf(tables, row.id);
      const session = sessionView(row, tables.lastTurn(row.id));
      return {
        text:
          params.format === 'json'
            ? JSON.stringify(
                { version: 1, session, turns: turns.map((turn) => withTold(tables, turn)) },
                null,
                2,
              )
            : `${markdownOf(row.title === '' ? row.id : row.title, turns)}\n`,
      };
    }),
  'audit/export': (params, host) =>
    host.look((tables) => ({
      text: auditOf(tables, params)
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join(''),
    })),
};
