import { removeLeft } from './copies';
import { request, type Core } from './core';
import { recover } from './recover';
import { considerClients } from './serve';
import { judgeAgain } from './verdicts';

/**
 * What an earlier host left is brought to named states, and what goes on is started: under the cord of all windows.
 * `pulledBy` has pulled it outside of this host; undefined when nobody has.
 */
export async function begin(core: Core, pulledBy: string | undefined): Promise<void> {
  const { cord } = core;
  // A pull that has come before the start is told by itself.
  await core.pulling;
  const inherits = pulledBy !== undefined && !cord.pulled;
  if (inherits) cord.pull();
  await request(core, (job) => {
    if (inherits)
      job.tx.setCord({
        pulled: true,
        epoch: cord.epoch,
        by: pulledBy,
        at: job.tx.now,
        ended: [],
        told: false,
      });
    recover(core, job);
    // The person's rules may have changed while no host was here (A7): the last one may be gone as well.
    judgeAgain(core, job, undefined);
  });
  core.begun = true;
  // Beside everything else: nothing waits for it.
  void removeLeft(core);
  core.clientTools.onChange(() => considerClients(core));
}
