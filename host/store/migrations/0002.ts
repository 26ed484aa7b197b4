import type { Migration } from '../contract';

/** What scripts store in their session (S1). */
export const second: Migration = {
  version: 2,
  up: (q) => {
    q.script(`
      CREATE TABLE stored (
        session INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (session, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX calls_steps_open ON calls (turn, parent, place) WHERE parent IS NOT NULL AND status <> 'done';
    `);
  },
};
