/**
 * The built host as a worker, with its compiled code kept between the hosts of a run: reading five megabytes of source
 * is most of what the start of a host costs, and a run starts a thousand.
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
