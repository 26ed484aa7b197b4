import type { Migration } from '../contract';

/** A request that is announced again has been waiting since it was announced first (A4). */
export const ninth: Migration = {
  version: 9,
  up: (q) => q.script('ALTER TABLE approvals ADD COLUMN asked_again_at INTEGER'),
};
