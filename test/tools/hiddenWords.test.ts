import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bench } from './support';

describe('What a shell is told to read', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('A12 names the store neither as a command nor typed into what runs, by whatever way it leads there', async () => {
    writeFileSync(join(bench.store, 'belay.sqlite'), 'secret records');
    symlinkSync(bench.store, bench.at('link'));
    const refused = async (tool: string, args: object): Promise<boolean> => {
      const prepared = await bench.prepare(tool, args);
      return 'error' in prepared && prepared.detail.includes("Belay's own records");
    };
    for (const command of [
      `cat ${bench.store}/belay.sqlite`,
      `cat ${bench.store.toUpperCase()}/belay.sqlite`,
      'cat ../store/belay.sqlite',
      'cat <link/belay.sqlite',
      `cat ${bench.folder}/./link/../store/x`,
    ]) {
      assert.ok(await refused('shell', { command }), `shell: ${command}`);
      assert.ok(await refused('terminal', { command }), `terminal: ${command}`);
      assert.ok(
        await refused('write_stdin', { handle: 'proc:1', text: `${command}\r` }),
        `typed: ${command}`,
      );
    }
    for (const command of ['ls', `ls ${bench.store}-more`, 'cat ../stores/x', 'echo a/b'])
      assert.ok(!(await refused('write_stdin', { handle: 'proc:1', text: `${command}\r` })), command);
  });
});
