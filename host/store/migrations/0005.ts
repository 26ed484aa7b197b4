import type { Migration } from '../contract';

/**
 * What Belay keeps of an outside agent for each session, and which messages are in an agent's hands. A row is
 * read whole and written whole, once a turn or less.
 */
export const fifth: Migration = {
  version: 5,
  up: (q) => {
    q.script(`
      CREATE TABLE harnesses (
        session INTEGER PRIMARY KEY, state TEXT NOT NULL
      ) STRICT;
      ALTER TABLE messages ADD COLUMN handed TEXT;
      CREATE INDEX calls_open ON calls (turn, step, place) WHERE status <> 'done' AND parent IS NULL;
    `);
  },
};
