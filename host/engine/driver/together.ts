/** Facts of one moment in one commit: what a thousand steps at once would each commit alone (D1). */
import { soon } from '../../base/clock';
import { describe, record, request, type Core, type Job } from './core';

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

/** One of them that fails must not take the others with it. */
function recordAll(core: Core, jobs: readonly ((job: Job) => void)[]): void {
  const [first, ...rest] = jobs;
  if (first === undefined) return;
  if (rest.length === 0) {
    record(core, first);
    return;
  }
  request(core, (job) => {
    for (const one of jobs) one(job);
  }).catch((error: unknown) => {
    core.log('warn', `Facts of one moment are recorded one by one: ${describe(error)}`);
    for (const one of jobs) record(core, one);
  });
}
