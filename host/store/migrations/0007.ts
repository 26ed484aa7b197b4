import type { Migration } from '../contract';

/** A conversation is read from its newest compaction on (T7), which is found without what lies before it. */
export const seventh: Migration = {
  version: 7,
  up: (q) => {
    q.script(`
      CREATE INDEX events_compacted ON events (session, seq) WHERE type = 'compacted';
      CREATE INDEX messages_turn ON messages (session, turn);
    `);
  },
};
