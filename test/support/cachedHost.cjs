/**
 * A thread for built hosts, one after the other, as it is told by messages (hostThread.ts). Each host is one by itself:
 * it is started, has its own port, store and environment, and is told to stop. What they share is the code, whose
 * compiled form is kept between the threads of a run: reading five megabytes of source and running it once is most of
 * what the start of a host costs, and a run starts a thousand.
 */
const {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { parentPort } = require('node:worker_threads');

const file = join(__dirname, '../../dist/thread.js');
const { mtimeMs, size } = statSync(file);
const folder = join(__dirname, '../../out/compiled');
const name = `${process.version}-${mtimeMs}-${size}`;
const kept = join(folder, name);
/** When what a start needs has been compiled, ms. */
const KEEP_AFTER_MS = 1_000;

function read() {
  try {
    return readFileSync(kept);
  } catch {
    return undefined;
  }
}

function keep(script) {
  mkdirSync(folder, { recursive: true });
  const own = `${kept}.${process.pid}.${process.hrtime.bigint()}`;
  writeFileSync(own, script.createCachedData());
  renameSync(own, kept);
  // That of an earlier build is of no use any more.
  for (const other of readdirSync(folder))
    if (!other.startsWith(name)) rmSync(join(folder, other), { force: true });
}

const cachedData = read();
const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file, cachedData });
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, Module.createRequire(file), module_, file, dirname(file));
if (cachedData === undefined || script.cachedDataRejected) setTimeout(keep, KEEP_AFTER_MS, script).unref();

/** What a host that has ended leaves for a moment, such as its look at the processes of the system, ms. */
const LEFT_MS = 50;

/** Tells what keeps the thread alive though its host has ended: nothing but ports, once what is ending has ended. */
function tellWhatIsLeft(until) {
  const left = process.getActiveResourcesInfo().filter((resource) => resource !== 'MessagePort');
  if (left.length === 0 || Date.now() > until) parentPort.postMessage(left);
  else setTimeout(tellWhatIsLeft, 1, until).unref();
}

parentPort.on('message', ({ port, given, env }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  port.once('close', () => tellWhatIsLeft(Date.now() + LEFT_MS));
  module_.exports.serveHost(port, given);
});
