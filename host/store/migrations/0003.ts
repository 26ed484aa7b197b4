import type { Migration } from '../contract';

/** Calls that a client answers without a person stand in no list of what waits for one (C1). */
export const third: Migration = {
  version: 3,
  up: (q) => q.script('ALTER TABLE questions ADD COLUMN person INTEGER NOT NULL DEFAULT 1'),
};
