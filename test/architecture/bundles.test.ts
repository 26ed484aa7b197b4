import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';

interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly inputs: Readonly<Record<string, unknown>>;
        readonly imports: readonly { readonly path: string; readonly external?: boolean }[];
      }
    >
  >;
}

const repository = join(__dirname, '../..');

const LATER = ['openai', 'anthropic', 'xterm', 'mcpClient', 'mcpServer', 'treeSitter', 'undici'].map(
  (name) => `dist/later/${name}.js`,
);

/** Read from what esbuild has bundled; types leave no trace there, so these are real dependencies. */
describe('what the bundles are made of', () => {
  it('the extension contains nothing of the host and nothing of the page', () => {
    assert.deepEqual(roomsIn('dist/extension.js'), ['extension', 'protocol']);
  });

  it('the host contains nothing of the extension and nothing of the page', () => {
    assert.deepEqual(roomsIn('dist/thread.js'), ['host', 'protocol']);
    assert.deepEqual(Object.keys(output('dist/host.js').inputs), ['host/main.ts']);
  });

  it('what is read later holds libraries, and none of what the host shares with itself', () => {
    const own = LATER.flatMap((bundle) => Object.keys(output(bundle).inputs)).filter(
      (input) => !input.startsWith('node_modules/'),
    );
    assert.deepEqual(own.sort(), [
      'host/adapters/clientTools/sdk.ts',
      'host/adapters/commands/treeSitter.ts',
      'host/adapters/mcp/sdk.ts',
      'host/base/web/undici.ts',
    ]);
    const early = Object.keys(output('dist/thread.js').inputs).filter((input) =>
      /^node_modules\/(@anthropic-ai|openai|@modelcontextprotocol|@xterm|ajv|undici)\//.test(input),
    );
    assert.deepEqual(early, []);
  });

  it('the thread of scripts contains nothing but the language, the base and its own folder', () => {
    const inputs = Object.keys(output('dist/scriptWorker.js').inputs);
    const foreign = inputs.filter(
      (input) => !/^(node_modules|protocol|host\/base|host\/adapters\/scripts)\//.test(input),
    );
    assert.deepEqual(foreign, []);
  });

  it('the page contains nothing of the extension and nothing of the host', () => {
    assert.deepEqual(roomsIn('dist/webview.js'), ['protocol', 'webview']);
    assert.deepEqual(roomsIn('dist/highlighter.js'), ['webview']);
  });

  it('terminals cost the host nothing but a screen’s library: node-pty is in the PTY host alone', () => {
    assert.deepEqual(roomsIn('dist/ptyHost.js'), ['host']);
    assert.ok(externals('dist/ptyHost.js').some((path) => path.startsWith('node-pty')));
    assert.ok(!externals('dist/thread.js').some((path) => path.startsWith('node-pty')));
  });

  it('only the extension asks for VS Code', () => {
    assert.ok(externals('dist/extension.js').includes('vscode'));
    assert.ok(!externals('dist/thread.js').includes('vscode'));
  });

  it('nothing else is left for run time than Node itself and the native libraries that ship beside the bundles', () => {
    const foreign = [
      'dist/extension.js',
      'dist/host.js',
      'dist/thread.js',
      ...LATER,
      'dist/scriptWorker.js',
      'dist/webview.js',
      'dist/highlighter.js',
    ]
      .flatMap(externals)
      .filter((path) => !['dist/thread.js', ...LATER].includes(path.replace('./', 'dist/')))
      .filter((path) => !path.startsWith('node:') && !builtinModules.includes(path.split('/')[0] ?? ''));
    const allowed = ['vscode', 'node-pty', '@vscode/ripgrep'];
    assert.deepEqual(
      foreign.filter((path) => !allowed.includes(path)),
      [],
    );
  });

  it('the files that the bundles read lie beside them', () => {
    const grammars = ['tree-sitter.wasm', 'tree-sitter-bash.wasm', 'tree-sitter-powershell.wasm'];
    const engines = ['sql-wasm.wasm', 'quickjs.wasm', ...grammars];
    for (const name of [...engines, 'codicon.css', 'codicon.ttf', 'webview.css']) {
      assert.ok(existsSync(join(repository, 'dist', name)), name);
    }
  });
});

function roomsIn(bundle: string): string[] {
  const inputs = Object.keys(output(bundle).inputs).filter((input) => !input.startsWith('node_modules/'));
  return [...new Set(inputs.map((input) => input.split('/')[0] ?? ''))].sort();
}

function externals(bundle: string): string[] {
  return output(bundle)
    .imports.filter((one) => one.external)
    .map((one) => one.path);
}

function output(bundle: string): Metafile['outputs'][string] {
  const meta = JSON.parse(readFileSync(join(repository, 'out/meta.json'), 'utf8')) as Metafile;
  const found = meta.outputs[bundle];
  assert.ok(found, `${bundle} was not built`);
  return found;
}
