import type { RuleId } from '../../../protocol';
import type { RuleRecord } from '../records';

/**
 * The rules of the person for all workspaces. They are kept outside of the stores, and a change that another window
 * has made is told to the engine (`rulesChanged`).
 */
export interface UserRules {
  /** As they are now, the oldest first. */
  all(): readonly RuleRecord[];
  /** Settles when the rule is on disk and holds. Rejects with `RequestError`. */
  add(rule: Omit<RuleRecord, 'id'>): Promise<RuleRecord>;
  /** Settles when it is gone. Rejects with `RequestError`. */
  remove(id: RuleId): Promise<void>;
}
