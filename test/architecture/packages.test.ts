import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

describe('the libraries', () => {
  it('are pinned to one version each', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Manifest;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    assert.deepEqual(loose, []);
  });

  it('come from whatever registry the reader uses', () => {
    assert.doesNotMatch(read('package-lock.json'), /"resolved"/);
  });
});

function read(name: string): string {
  return readFileSync(join(__dirname, '../..', name), 'utf8');
}
