import type { Migration } from '../contract';

/**
 * Changes of outside agents: `unknown` where nobody knows what the file was before, `removed` where there was none
 * afterwards (`after` is empty then).
 */
export const twelfth: Migration = {
  version: 12,
  up: (q) =>
    q.script(`
      ALTER TABLE changes ADD COLUMN unknown INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE changes ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
    `),
};
