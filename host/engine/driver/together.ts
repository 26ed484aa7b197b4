/** Facts of one moment in one commit: what a thousand steps at once would each commit alone (D1). */
import { soon } from '../../base/clock';
import type { Core } from './core';
import { recordAll, type Act } from './facts';
import type { Subject } from './unwritten';

/** Jobs of one commit: more would hold up the other sessions (S4). */
const JOBS_A_COMMIT = 32;

/** Records a fact with the others of this moment, in the order in which they came. */
export function recordTogether(core: Core, of: Subject, act: Act): void {
  core.together.push({ of, act });
  if (core.together.length === 1) soon(() => flush(core));
}

function flush(core: Core): void {
  const facts = core.together.splice(0, JOBS_A_COMMIT);
  if (core.together.length > 0) soon(() => flush(core));
  if (facts.length > 0) recordAll(core, facts);
}
