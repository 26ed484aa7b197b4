import type { Migration } from '../contract';

/** Files that tools have changed, with both contents by their hash, so that a person can look at them and go back. */
export const fourth: Migration = {
  version: 4,
  up: (q) => {
    q.script(`
      CREATE TABLE changes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL, turn INTEGER NOT NULL, call TEXT NOT NULL, path TEXT NOT NULL,
        before TEXT, after TEXT NOT NULL, at INTEGER NOT NULL, reverted INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX changes_session ON changes (session, id) WHERE reverted = 0;
      CREATE INDEX changes_turn ON changes (turn, id);
    `);
  },
};
