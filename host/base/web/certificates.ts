/**
 * The certificates that this machine trusts, beside those that come with Node: a company signs its network's
 * connections with its own. Node offers them from 22.19 and 24.5 on; before, `NODE_EXTRA_CA_CERTS` names a file.
 *
 * Reading them takes hundreds of milliseconds, so a thread of its own does it, once, before the first request over TLS.
 */
import * as tls from 'node:tls';
import { Worker } from 'node:worker_threads';

const READ = `
  const { getCACertificates } = require('node:tls');
  const known = new Set(getCACertificates('default'));
  require('node:worker_threads').parentPort.postMessage(
    [...new Set(getCACertificates('system'))].filter((one) => !known.has(one)),
  );
`;

/** Resolves when this thread trusts what the machine trusts. Never rejects: what could not be read is told to `failed`. */
export async function trustSystem(failed: (reason: string) => void): Promise<void> {
  const { getCACertificates, setDefaultCACertificates } = tls;
  if (getCACertificates === undefined || setDefaultCACertificates === undefined) return;
  try {
    const found = await read();
    if (found.length > 0) setDefaultCACertificates([...getCACertificates('default'), ...found]);
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error));
  }
}

function read(): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const reader = new Worker(READ, { eval: true, execArgv: [] });
    reader.once('message', (found: readonly string[]) => resolve(found));
    reader.once('error', reject);
    reader.once('exit', (code) => reject(new Error(`Its reader ended with code ${code}.`)));
    reader.unref();
  });
}
