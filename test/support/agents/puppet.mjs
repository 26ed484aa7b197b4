/**
 * An agent's program whose every act a test decides: it tells the test over a socket how it was started, what it
 * reads and which signals reach it, and does what it is told. It does nothing by itself.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';

const socket = connect(process.env.PUPPET_SOCKET);
const tell = (what) => socket.write(`${JSON.stringify(what)}\n`);
const children = new Map();

tell({ kind: 'start', argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), pid: process.pid });
process.stdin.setEncoding('utf8');
process.stdin.on('data', (text) => tell({ kind: 'input', text }));
process.stdin.on('end', () => tell({ kind: 'eof' }));
process.stdout.on('error', () => undefined);
const trap = Object.fromEntries(
  ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => [name, () => tell({ kind: 'signal', name })]),
);
for (const [name, on] of Object.entries(trap)) process.on(name, on);

const acts = {
  write: ({ text }, done) => process.stdout.write(text, done),
  long: ({ before, after, characters }, done) =>
    process.stdout.write(`${before}${'x'.repeat(characters)}${after}\n`, done),
  flood: ({ line, times }, done) => {
    let left = times;
    const more = () => {
      while (left > 0) {
        left -= 1;
        if (!process.stdout.write(`${line}\n`)) return void process.stdout.once('drain', more);
      }
      done();
    };
    more();
  },
  error: ({ text }, done) => process.stderr.write(text, done),
  exit: ({ code }) => process.exit(code),
  die: ({ signal }) => {
    for (const [name, on] of Object.entries(trap)) process.off(name, on);
    process.kill(process.pid, signal);
  },
  spawn: ({ name, command, detached }, done) => {
    const child = spawn('/bin/sh', ['-c', command], {
      detached,
      stdio: ['ignore', detached ? 'inherit' : 'ignore', 'ignore'],
    });
    children.set(name, child);
    child.on('exit', () => tell({ kind: 'child_gone', name }));
    done(undefined, child.pid);
  },
  kill: ({ name, signal }, done) => {
    children.get(name).kill(signal);
    done();
  },
};

let rest = '';
socket.setEncoding('utf8');
socket.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const act = JSON.parse(line);
    acts[act.do](act, (_error, value) => tell({ kind: 'done', n: act.n, value }));
  }
});
// The test has gone, and nobody moves it any more.
socket.on('close', () => process.exit(70));
socket.on('error', () => process.exit(70));
