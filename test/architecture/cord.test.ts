import { RuleTester } from 'eslint';
import { join } from 'node:path';
import { parser } from 'typescript-eslint';
import cord from './cord.mjs';

const root = join(__dirname, '../..');

/** Types decide, so each code stands in the place of a file of the project. */
const tester = new RuleTester({
  languageOptions: { parser, parserOptions: { projectService: true, tsconfigRootDir: root } },
});

/** The first code waits until the types of the whole host have been read. */
const PATIENCE_MS = 60_000;
RuleTester.it = (text: string, run: Mocha.Func) => void it(text, run).timeout(PATIENCE_MS);

const place = 'host/adapters/tools/list.ts';
const launch = `type Launch = <T>(effect: () => T) => T; declare const launch: Launch;`;
const child = `import { spawn, execFile } from 'node:child_process';`;

/** What starts an effect, by its kind. */
const kinds: Readonly<Record<string, readonly [head: string, effect: string]>> = {
  spawn: [child, `spawn('ls')`],
  'spawn by another name': [
    `import * as processes from 'node:child_process'; const start = processes.spawn;`,
    `start('ls')`,
  ],
  'exec as a promise': [`${child} import { promisify } from 'node:util';`, `promisify(execFile)('ls')`],
  fork: [`import { fork } from 'node:child_process';`, `fork('a.js')`],
  'a message to a child': [
    `import type { ChildProcess } from 'node:child_process'; declare const child: ChildProcess;`,
    `child.send('go')`,
  ],
  'a line to a child': [`${child} const child = launch(() => spawn('ls'));`, `child.stdin.write('go')`],
  'a worker': [`import { Worker } from 'node:worker_threads';`, `new Worker('a.js')`],
  'a message to a worker': [
    `import type { Worker } from 'node:worker_threads'; declare const worker: Worker;`,
    `worker.postMessage('go')`,
  ],
  'a file': [`import { writeFile } from 'node:fs/promises';`, `writeFile('a', '')`],
  'a file, at once': [`import { writeFileSync } from 'node:fs';`, `writeFileSync('a', '')`],
  'a folder': [`import * as fs from 'node:fs';`, `fs.mkdirSync('a')`],
  'a rename': [`import { promises } from 'node:fs';`, `promises.rename('a', 'b')`],
  fetch: ['', `fetch('http://127.0.0.1')`],
  'a fetch that was handed over': [
    `declare const given: { fetch: typeof fetch };`,
    `given.fetch('http://127.0.0.1')`,
  ],
  'an HTTP request': [`import { request } from 'node:http';`, `request('http://127.0.0.1')`],
  'a socket': [`import { connect } from 'node:net';`, `connect(80)`],
  'a model of the client': [
    `import type { Client } from '../../api/serve'; declare const client: Client;`,
    `client.request('model/request', {} as never)`,
  ],
  'a terminal': [`import { spawn } from 'node-pty';`, `spawn('sh', [], {})`],
  'a tool of a server': [
    `import type { Client } from '@modelcontextprotocol/sdk/client/index.js'; declare const server: Client;`,
    `server.callTool({ name: 'a' })`,
  ],
};

tester.run('cord', cord.rules.launch, {
  valid: [
    ...Object.entries(kinds).map(([kind, [head, effect]]) =>
      at(place, `${kind}, launched`, `${head} ${launch} launch(() => ${effect});`),
    ),
    at(
      place,
      'inside a function that only a launch calls',
      `${child} ${launch} const start = () => inner(); function inner() { spawn('ls'); } launch(() => start());`,
    ),
    at(
      place,
      'reading',
      `import { readFile } from 'node:fs/promises'; export const a = () => readFile('a');`,
    ),
    at(
      place,
      'a key of the client',
      `import type { Client } from '../../api/serve'; export const a = (client: Client) => client.request('secret/get', { name: 'a' });`,
    ),
    at(
      place,
      'a look while a call is prepared',
      `declare const looking: unknown; declare function readWhole(a: unknown): void; readWhole(looking);`,
    ),
    at(
      'host/store/files.ts',
      'the store',
      `import { writeFileSync } from 'node:fs'; writeFileSync('a', '');`,
    ),
    at('extension/clock.ts', 'another room', `import { spawn } from 'node:child_process'; spawn('ls');`),
  ],
  invalid: [
    ...Object.entries(kinds).map(([kind, [head, effect]]) =>
      loose(`${kind}, loose`, `${head} ${launch} export const a = () => ${effect};`),
    ),
    loose('behind an await', `${child} ${launch} launch(async () => { await null; return spawn('ls'); });`),
    loose(
      'in a callback of what was launched',
      `${child} ${launch} launch(() => setTimeout(() => spawn('ls'), 1));`,
    ),
    loose(
      'in a function that others may call',
      `${child} ${launch} export const start = () => spawn('ls'); launch(() => start());`,
    ),
    loose(
      'in a function that is called outside as well',
      `${child} ${launch} const start = () => spawn('ls'); launch(() => start()); start();`,
    ),
    loose(
      'in a function that is handed on',
      `${child} ${launch} const start = () => spawn('ls'); launch(() => start()); setTimeout(start, 1);`,
    ),
    {
      ...at(
        place,
        'a write that only looks',
        `declare const looking: unknown; declare function replaceFile(a: unknown): void; replaceFile(looking);`,
      ),
      errors: [{ messageId: 'looking' }],
    },
  ],
});

function at(file: string, name: string, code: string): { name: string; filename: string; code: string } {
  return { name: `R7 P2 ${name}`, filename: join(root, file), code };
}

function loose(name: string, code: string): RuleTester.InvalidTestCase {
  return { ...at(place, name, code), errors: [{ messageId: 'loose' }] };
}
