/**
 * `dist/acp.js`: another editor starts it as an ACP agent on stdio.
 *
 *   node dist/acp.js [--store DIR] [--settings FILE]
 *
 * `--store` is the folder of its store (by default one under the person's data folder), `--settings` a JSON file with
 * the settings of docs/protocol.md. Standard output is the protocol's; everything else goes to standard error.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { acpAgent } from './agent';
import { HostLink } from './hostLink';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const REHEARSAL = 'rehearsal/demo';

function dataFolder(): string {
  const base =
    process.platform === 'win32'
      ? process.env['LOCALAPPDATA']
      : (process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local', 'share'));
  return join(base ?? homedir(), 'belay', 'acp');
}

function defaultModel(settings: unknown): string {
  if (typeof settings !== 'object' || settings === null || !('models' in settings)) return REHEARSAL;
  const { models } = settings;
  if (typeof models !== 'object' || models === null || !('default' in models)) return REHEARSAL;
  return typeof models.default === 'string' ? models.default : REHEARSAL;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { store: { type: 'string' }, settings: { type: 'string' } } });
  const settings: unknown =
    values.settings === undefined ? {} : JSON.parse(readFileSync(values.settings, 'utf8'));
  const host = await HostLink.start({ storeDir: values.store ?? dataFolder(), settings }, say);
  const app = acpAgent({ host, model: defaultModel(settings), version: '1', warn: say });
  const input = Readable.toWeb(process.stdin);
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), bytesOf(input)));
  await connection.closed;
  await host.stop();
}

/** Node's own stream type knows nothing of what flows in it. */
function bytesOf(input: ReturnType<typeof Readable.toWeb>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      for await (const chunk of input) if (chunk instanceof Uint8Array) controller.enqueue(chunk);
      controller.close();
    },
  });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  },
);
