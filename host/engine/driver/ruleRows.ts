/** Rules as they are written and taken away, with what everyone is told of it. */
import type { Rule } from '../../../protocol';
import type { RuleRecord } from '../records';
import { ruleView } from '../views';
import type { Job } from './core';

export function insertRule(job: Job, rule: Omit<RuleRecord, 'id'>): Rule {
  return told(job, job.tx.insertRule(rule), 'added');
}

export function deleteRule(job: Job, rule: RuleRecord): void {
  job.tx.removeRule(rule.id);
  told(job, rule, 'removed');
}

export function told(job: Job, record: RuleRecord, change: 'added' | 'removed'): Rule {
  const rule = ruleView(record);
  job.tx.emit('rule_changed', { rule, change }, rule.session === undefined ? {} : { session: rule.session });
  return rule;
}
