import type { Migration } from '../contract';

/** What a session's model is told of its folder's own instructions: read with each request, written when they change. */
export const eighth: Migration = {
  version: 8,
  up: (q) => {
    q.script(`
      CREATE TABLE project_instructions (
        session INTEGER PRIMARY KEY, turn INTEGER NOT NULL, path TEXT NOT NULL, text TEXT NOT NULL,
        whole INTEGER, why TEXT
      ) STRICT;
    `);
  },
};
