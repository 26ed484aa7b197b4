import type { Migration } from '../contract';

/**
 * Of which turn one is the copy in a fork: what was told there names results and turns as they were named. The copy
 * of a copy has the first one's.
 */
export const sixth: Migration = {
  version: 6,
  up: (q) => {
    q.script(`
      ALTER TABLE turns ADD COLUMN origin INTEGER;
      CREATE INDEX turns_origin ON turns (session, origin) WHERE origin IS NOT NULL;
    `);
  },
};
