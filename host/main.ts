/**
 * The worker's entry, `dist/host.js`. The host itself is a bundle of its own (thread.ts), so that the compiled code
 * that an earlier start has left can be found before the host is read.
 */
import module from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const given: unknown = workerData;
if (
  typeof given === 'object' &&
  given !== null &&
  'compiled' in given &&
  typeof given.compiled === 'string'
) {
  // From Node 22.8 on. It writes when the thread ends, and says by a status, not by a throw, what it could not do.
  const keep: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof keep === 'function') Reflect.apply(keep, module, [given.compiled]);
}

const port = parentPort;
if (port === null) throw new Error('dist/host.js runs as a worker thread.');
void import('./thread').then(({ serveHost }) => serveHost(port, given));
