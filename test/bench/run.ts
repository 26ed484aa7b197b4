/** `npm run bench [name…]`: runs the benchmarks one after another and prints one JSON object. */
import { benchClientTools } from './clientTools';
import { benchCommit, type BenchResult } from './commit';
import { benchEditor } from './editor';
import { benchFace } from './face';
import { benchHarness } from './harness';
import { benchMcp } from './mcp';
import { benchPause } from './pause';
import { benchRounds } from './rounds';
import { benchScreen } from './screen';
import { benchScripts } from './scripts';
import { benchStored } from './stored';
import { benchTerminals } from './terminals';
import { benchWaits } from './waits';

const wasm = require.resolve('sql.js/dist/sql-wasm.wasm');

const benches: Readonly<Record<string, () => Promise<readonly BenchResult[]>>> = {
  commit: async () => [await benchCommit(wasm, 1), await benchCommit(wasm, 100)],
  rounds: benchRounds,
  waits: benchWaits,
  scripts: benchScripts,
  clientTools: benchClientTools,
  pause: benchPause,
  harness: benchHarness,
  mcp: benchMcp,
  terminals: benchTerminals,
  screen: benchScreen,
  face: benchFace,
  stored: benchStored,
  editor: benchEditor,
};

async function main(): Promise<void> {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0)
    throw new Error(
      `No benchmark is called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`,
    );
  const results: BenchResult[] = [];
  for (const [name, bench] of Object.entries(benches))
    if (names.length === 0 || names.includes(name)) results.push(...(await bench()));
  process.stdout.write(`${JSON.stringify({ node: process.version, results }, null, 2)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
