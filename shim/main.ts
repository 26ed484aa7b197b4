/** `dist/shim.js`: Belay's client tools for an agent that can start an MCP server on stdio (C3). Standard output is the protocol's. */
import { readFileSync } from 'node:fs';
import { parseJson, SHIM_ENV, type ShimTool } from '../protocol/relay';
import { lines } from './lines';
import { relayWay } from './relayWay';
import { shimServer } from './server';
import { socketWay } from './socketWay';
import type { Way } from './way';

function fail(why: string): never {
  process.stderr.write(`belay: ${why}\n`);
  process.exit(1);
}

function setting(name: keyof typeof SHIM_ENV): string {
  return process.env[SHIM_ENV[name]] ?? fail(`${SHIM_ENV[name]} is not set.`);
}

function readTools(path: string): readonly ShimTool[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    fail(`${SHIM_ENV.tools} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const tools = parseJson(text);
  if (!Array.isArray(tools) || !tools.every(isTool)) fail(`${SHIM_ENV.tools} holds no list of tools.`);
  return tools;
}

function isTool(value: unknown): value is ShimTool {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'name' in value &&
    typeof value.name === 'string' &&
    'description' in value &&
    typeof value.description === 'string' &&
    'inputSchema' in value &&
    typeof value.inputSchema === 'object'
  );
}

function way(): Way {
  const nonce = setting('nonce');
  const turn = setting('turn');
  const socket = process.env[SHIM_ENV.socket];
  return socket === undefined ? relayWay(setting('dir'), nonce, turn) : socketWay(socket, nonce, turn);
}

const server = shimServer(readTools(setting('tools')), way(), (message) =>
  process.stdout.write(`${JSON.stringify(message)}\n`),
);
const leave = (): void => {
  server.end();
  process.exit(0);
};
process.stdin.on(
  'data',
  lines((line) => server.take(line)),
);
process.stdin.on('end', leave);
process.stdin.on('error', leave);
process.stdout.on('error', leave);
