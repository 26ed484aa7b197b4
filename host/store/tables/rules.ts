import { z } from 'zod';
import { RuleMatch, RuleScope, type Rule, type RuleId, type SessionId } from '../../../protocol';
import type { Value } from '../database';
import { int, json, number, numberOrNull, oneOf, ruleId, sessionId, text, type Db } from '../rows';

const COLUMNS = 'id, effect, scope, session, match, label, created_at, by';
const Effect = z.enum(['allow', 'ask', 'deny']);

const ruleOf = (row: readonly Value[]): Rule => ({
  id: ruleId(int(row[0])),
  effect: oneOf(Effect, row[1]),
  scope: oneOf(RuleScope, row[2]),
  match: json(RuleMatch, row[4]),
  label: text(row[5]),
  createdAt: int(row[6]),
  by: text(row[7]),
  ...(typeof row[3] === 'number' ? { session: sessionId(row[3]) } : {}),
});

export const rulesTable = (db: Db) => ({
  /** Those of the workspace, and the session's own. */
  rules: (session: SessionId): readonly Rule[] =>
    db.q
      .all(
        `SELECT ${COLUMNS} FROM rules WHERE scope = 'workspace' OR (scope = 'session' AND session = ?) ORDER BY id`,
        number(session),
      )
      .map(ruleOf),
  rule(id: RuleId): Rule | undefined {
    const row = db.q.get(`SELECT ${COLUMNS} FROM rules WHERE id = ?`, number(id));
    return row === undefined ? undefined : ruleOf(row);
  },
  insertRule(rule: Omit<Rule, 'id'>): Rule {
    const { lastId } = db.q.run(
      'INSERT INTO rules (effect, scope, session, match, label, created_at, by) VALUES (?, ?, ?, ?, ?, ?, ?)',
      rule.effect,
      rule.scope,
      numberOrNull(rule.session),
      JSON.stringify(rule.match),
      rule.label,
      rule.createdAt,
      rule.by,
    );
    return { ...rule, id: ruleId(lastId) };
  },
  removeRule(id: RuleId): void {
    db.q.run('DELETE FROM rules WHERE id = ?', number(id));
  },
  rulePage: (session: SessionId | undefined, after: number, limit: number): readonly Rule[] =>
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
