/** Files that a search must not open are kept from ripgrep itself, whatever they are called (A1). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { KeptBack, plainPath } from '../../host/adapters/tools/keptBack';
import { LOOKING_ARGUMENTS } from '../../host/adapters/tools/ripgrep';

describe('files that are kept from ripgrep', () => {
  let base = '';
  let folder = '';
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'belay-kept-')));
    folder = join(base, 'work');
    mkdirSync(folder);
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const put = (paths: readonly string[], at = folder) => {
    for (const path of paths) {
      mkdirSync(dirname(join(at, path)), { recursive: true });
      writeFileSync(join(at, path), 'needle\n');
    }
  };
  /** What ripgrep opens in `target` when all that holds `kept` is left out, and its arguments for that. */
  const opened = (target: string, isKept: (path: string) => boolean, glob: readonly string[] = []) => {
    const run = (args: readonly string[]) =>
      spawnSync(rgPath, [...args, ...LOOKING_ARGUMENTS, ...glob, ...left, '--', target], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }).stdout;
    let left: readonly string[] = [];
    const kept = new KeptBack(target, (path) => !isKept(path));
    kept.add(run(['--files', '--null']));
    left = kept.arguments(folder) ?? assert.fail('too many');
    const paths = run(['--files-with-matches', '--null', '--regexp', 'needle']).split('\0').filter(Boolean);
    return { paths: paths.map(plainPath).sort(), left, count: kept.count };
  };

  it('A1 are never opened, with any name that a system takes, and no other file goes with them', () => {
    const odd = [
      'a b ',
      '*',
      '?x',
      '[ab]',
      '{a,b}',
      '!no',
      '#no',
      'back\\slash',
      ' -e',
      'ü',
      'x\ty',
      'two\nlines',
    ];
    put([
      ...odd.map((name) => `keep ${name}`),
      ...odd.map((name) => `deep/in/${name}`),
      'deep/in/ab',
      'deep/in/a',
    ]);
    for (const name of odd) {
      const isKept = (path: string) => path === `deep/in/${name}`;
      const { paths, count } = opened('.', isKept, ['--glob', '**']);
      assert.equal(count, 1, name);
      assert.ok(!paths.some(isKept), name);
      assert.equal(paths.length, 2 * odd.length + 1, name);
    }
  });

  it('A1 R10 a folder in which nothing is left is told as one, also below a place outside, and beside one of a like name', () => {
    put(Array.from({ length: 300 }, (_, at) => `a/secrets/${String(at % 7)}/${String(at)}`));
    put(['a/b', 'secrets', '.env']);
    const inside = opened('a', (path) => path.includes('secrets'));
    assert.deepEqual([inside.paths, inside.left, inside.count], [['a/b'], ['--glob', '!/a/secrets'], 300]);
    for (const name of ['elsewhere', 'work2']) {
      const other = join(base, name);
      put(['.env', 'x/.env', 'y'], other);
      const outside = opened(other, (path) => path.endsWith('.env'));
      assert.deepEqual([outside.paths, outside.count], [[join(other, 'y')], 2], name);
    }
    assert.deepEqual(opened('a/secrets', () => true).paths, [], 'a place may be left with nothing');
  });

  it('R10 more than a command line can hold are no list', () => {
    const kept = new KeptBack('.', (path) => path.endsWith('.txt'));
    const rows = Array.from(
      { length: 20_000 },
      (_, at) => `folder${String(at)}/a.txt\0folder${String(at)}/b.ts\0`,
    );
    kept.add(rows.join(''));
    assert.equal(kept.count, 20_000);
    assert.equal(kept.arguments('/w'), undefined);
  });
});
