import {
  Edited,
  Verdict,
  type AuditEntry,
  type CallId,
  type SessionId,
  type TurnId,
} from '../../../protocol';
import type { Tx } from '../../engine/ledger';
import type { Value } from '../database';
import {
  asInt,
  asJson,
  asNumber,
  asText,
  callId,
  handleId,
  int,
  json,
  likeText,
  maybeInt,
  number,
  oneOf,
  orNull,
  sessionId,
  text,
  turnId,
  update,
  type Columns,
  type Db,
} from '../rows';

const COLUMNS = `id, session, turn, call, parent, handle, tool, title, why, rule, decision, by, asked_at, decided_at,
  started_at, ended_at, ran, outcome, edited`;

type Change = Parameters<Tx['audit']>[2];
const CHANGES: Columns<Change> = {
  title: { column: 'title', put: asText },
  edited: { column: 'edited', put: asJson },
  why: { column: 'why', put: asText },
  rule: { column: 'rule', put: asText },
  decision: { column: 'decision', put: asText },
  by: { column: 'by', put: asText },
  decidedAt: { column: 'decided_at', put: asInt },
  startedAt: { column: 'started_at', put: asInt },
  handle: { column: 'handle', put: asNumber },
};

const entryOf = (row: readonly Value[]): AuditEntry => ({
  id: int(row[0]),
  session: sessionId(int(row[1])),
  turn: turnId(int(row[2])),
  call: callId(row[3]),
  tool: text(row[6]),
  title: text(row[7]),
  why: text(row[8]),
  askedAt: int(row[12]),
  ran: row[16] === 1,
  ...(typeof row[4] === 'string' ? { parent: callId(row[4]) } : {}),
  ...(typeof row[5] === 'number' ? { handle: handleId(row[5]) } : {}),
  ...(typeof row[9] === 'string' ? { rule: row[9] } : {}),
  ...(typeof row[10] === 'string' ? { decision: oneOf(Verdict, row[10]) } : {}),
  ...(typeof row[11] === 'string' ? { by: row[11] } : {}),
  ...(typeof row[13] === 'number' ? { decidedAt: row[13] } : {}),
  ...(typeof row[14] === 'number' ? { startedAt: row[14] } : {}),
  ...(typeof row[15] === 'number' ? { endedAt: row[15] } : {}),
  ...(typeof row[17] === 'string' ? { outcome: row[17] } : {}),
  ...(typeof row[18] === 'string' ? { edited: json(Edited, row[18]) } : {}),
});

export interface AuditWanted {
  readonly session?: SessionId | undefined;
  /** Part of a title or of a tool's name, in any case. */
  readonly text?: string | undefined;
  readonly decision?: 'allow' | 'deny' | 'none' | undefined;
}

/** The texts are few, so that each is prepared once. */
function conditions({ session, text: part, decision }: AuditWanted): { where: string; values: Value[] } {
  const some: { readonly sql: string; readonly values: readonly Value[] }[] = [];
  if (session !== undefined) some.push({ sql: 'session = ?', values: [number(session)] });
  if (part !== undefined)
    some.push({
      sql: "(title LIKE ? ESCAPE '\\' OR tool LIKE ? ESCAPE '\\')",
      values: [`%${likeText(part)}%`, `%${likeText(part)}%`],
    });
  if (decision === 'none') some.push({ sql: 'decision IS NULL', values: [] });
  else if (decision !== undefined) some.push({ sql: 'decision = ?', values: [decision] });
  return {
    where: some.map(({ sql }) => `${sql} AND `).join(''),
    values: some.flatMap(({ values }) => values),
  };
}

export const auditTable = (db: Db) => ({
  openAudit(entry: Parameters<Tx['openAudit']>[0]): void {
    db.q.run(
      `INSERT INTO audit (session, turn, call, parent, tool, title, why, rule, decision, by, asked_at, started_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      number(entry.session),
      number(entry.turn),
      entry.call,
      orNull(entry.parent),
      entry.tool,
      entry.title,
      entry.why,
      orNull(entry.rule),
      orNull(entry.decision),
      orNull(entry.by),
      db.now,
      orNull(entry.startedAt),
    );
  },
  audit(turn: TurnId, call: CallId, note: Change): void {
    update(db, 'audit', CHANGES, note, 'turn = ? AND call = ?', number(turn), call);
  },
  closeAudit(turn: TurnId, call: CallId, outcome: string, ran: boolean): void {
    db.q.run(
      'UPDATE audit SET ended_at = ?, outcome = ?, ran = ? WHERE turn = ? AND call = ? AND ended_at IS NULL',
      db.now,
      outcome,
      ran ? 1 : 0,
      number(turn),
      call,
    );
  },
  /** Newest first, below `before`. */
  auditPage: (wanted: AuditWanted, before: number | undefined, limit: number): readonly AuditEntry[] => {
    const { where, values } = conditions(wanted);
    return db.q
      .all(
        `SELECT ${COLUMNS} FROM audit WHERE ${where}id < ? ORDER BY id DESC LIMIT ?`,
        ...values,
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      )
      .map(entryOf);
  },
  /** Oldest first, behind the number `after` up to `until`. */
  auditBetween: (wanted: AuditWanted, after: number, until: number): readonly AuditEntry[] => {
    const { where, values } = conditions(wanted);
    const sql = `SELECT ${COLUMNS} FROM audit WHERE ${where}id > ? AND id <= ? ORDER BY id`;
    return db.q.all(sql, ...values, after, until).map(entryOf);
  },
  /** The number of the newest entry. */
  lastAudit: (): number => {
    const row = db.q.get('SELECT max(id) FROM audit');
    return maybeInt(row?.[0]) ?? 0;
  },
});
