import { z } from 'zod';
import { RuleMatch, RuleScope, type RuleId, type SessionId } from '../../../protocol';
import type { RuleRecord } from '../../engine/records';
import type { Value } from '../database';
import { int, json, number, numberOrNull, oneOf, ruleId, sessionId, text, type Db } from '../rows';
import { PartRow } from './readingRow';

const COLUMNS = 'id, effect, scope, session, match, label, created_at, by';
const Effect = z.enum(['allow', 'ask', 'deny']);

/** The parts of its command lie beside what a rule names. */
const Parts = z.object({ parts: z.array(PartRow).optional() });

const ruleOf = (row: readonly Value[]): RuleRecord => ({
  id: ruleId(int(row[0])),
  effect: oneOf(Effect, row[1]),
  scope: oneOf(RuleScope, row[2]),
  match: json(RuleMatch, row[4]),
  label: text(row[5]),
  createdAt: int(row[6]),
  by: text(row[7]),
  ...json(Parts, row[4]),
  ...(typeof row[3] === 'number' ? { session: sessionId(row[3]) } : {}),
});

export const rulesTable = (db: Db) => ({
  /** Those of the workspace, and the session's own. */
  rules: (session: SessionId): readonly RuleRecord[] =>
    db.q
      .all(
        `SELECT ${COLUMNS} FROM rules WHERE scope = 'workspace' OR (scope = 'session' AND session = ?) ORDER BY id`,
        number(session),
      )
      .map(ruleOf),
  rule(id: RuleId): RuleRecord | undefined {
    const row = db.q.get(`SELECT ${COLUMNS} FROM rules WHERE id = ?`, number(id));
    return row === undefined ? undefined : ruleOf(row);
  },
  insertRule(rule: Omit<RuleRecord, 'id'>): RuleRecord {
    const { lastId } = db.q.run(
      'INSERT INTO rules (effect, scope, session, match, label, created_at, by) VALUES (?, ?, ?, ?, ?, ?, ?)',
      rule.effect,
      rule.scope,
      numberOrNull(rule.session),
      JSON.stringify({ ...rule.match, parts: rule.parts }),
      rule.label,
      rule.createdAt,
      rule.by,
    );
    return { ...rule, id: ruleId(lastId) };
  },
  removeRule(id: RuleId): void {
    db.q.run('DELETE FROM rules WHERE id = ?', number(id));
  },
  rulePage: (session: SessionId | undefined, after: number, limit: number): readonly RuleRecord[] =>
    db.q
      .all(
        `SELECT ${COLUMNS} FROM rules WHERE id > ? AND (? IS NULL OR session IS NULL OR session = ?) ORDER BY id LIMIT ?`,
        after,
        numberOrNull(session),
        numberOrNull(session),
        limit,
      )
      .map(ruleOf),
});
