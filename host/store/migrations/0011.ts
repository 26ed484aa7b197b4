import type { Migration } from '../contract';

/** A command that a person has changed before allowing it: both texts stand in the audit. */
export const eleventh: Migration = {
  version: 11,
  up: (q) => q.script('ALTER TABLE audit ADD COLUMN edited TEXT'),
};
