import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
}

const repository = join(__dirname, '../..');

/** Files of ours that are compiled into each bundle; types leave no trace, so these are real dependencies. */
describe('what the bundles are made of', () => {
  it('the extension contains nothing of the host and nothing of the page', () => {
    assert.deepEqual(roomsOf('dist/extension.js', ['host', 'webview', 'test']), []);
  });

  it('the host contains nothing of the extension and nothing of the page', () => {
    assert.deepEqual(roomsOf('dist/host.js', ['extension', 'webview', 'test']), []);
  });

  it('the page contains nothing of the extension and nothing of the host', () => {
    assert.deepEqual(roomsOf('dist/webview.js', ['extension', 'host', 'test']), []);
  });
});

function roomsOf(bundle: string, forbidden: readonly string[]): string[] {
  const meta: Metafile = JSON.parse(readFileSync(join(repository, 'out/meta.json'), 'utf8'));
  const output = meta.outputs[bundle];
  if (!output) return [];
  return Object.keys(output.inputs).filter((input) => forbidden.includes(input.split('/')[0] ?? ''));
}
