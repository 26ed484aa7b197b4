/** Facts of one moment in one commit: what a thousand steps at once would each commit alone (D1). */
import { soon } from '../../base/clock';
import type { Core, Job } from './core';
import { recordAll } from './facts';

/** Jobs of one commit: more would hold up the other sessions (S4). */
const JOBS_A_COMMIT = 32;

/** Records a fact with the others of this moment, in the order in which they came. */
export function recordTogether(core: Core, job: (job: Job) => void): void {
  core.together.push(job);
  if (core.together.length === 1) soon(() => flush(core));
}

function flush(core: Core): void {
  const jobs = core.together.splice(0, JOBS_A_COMMIT);
  if (core.together.length > 0) soon(() => flush(core));
  if (jobs.length > 0) recordAll(core, jobs);
}
