import type { Migration } from '../contract';

/**
 * Sessions in no list: being written, or being removed, in pieces. And since when what is under a handle runs, without
 * the time that it waited for a person.
 */
export const tenth: Migration = {
  version: 10,
  up: (q) => {
    q.script(`
      CREATE TABLE unlisted (session INTEGER PRIMARY KEY) STRICT;
      ALTER TABLE handles ADD COLUMN running_at INTEGER;
    `);
  },
};
