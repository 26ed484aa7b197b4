/**
 * Builds every bundle into `dist/`. `--watch` builds again on each change; `--package` builds minified into the
 * folder that becomes the VSIX instead. Files that are read at run time are copied beside the bundles, where the
 * code looks for them.
 */
import { build, context } from 'esbuild';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const production = process.argv.includes('--package');
const dist = production ? 'out/stage/dist' : 'dist';
const watch = process.argv.includes('--watch');

/** Messages of the schema library in fifty languages weigh a third of it; ours are in none of them. */
const oneLanguage = {
  name: 'one-language',
  setup: ({ onLoad }) =>
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};

/**
 * What the host's start need not read at once lies in bundles of its own: libraries that it needs only at times, and
 * all of it until the compiled code of an earlier start is found. The key is what its files import, seen from the
 * repository for a file of our own.
 */
const later = {
  'host/thread': './thread.js',
  'host/base/web/undici': './later/undici.js',
  openai: './later/openai.js',
  '@anthropic-ai/sdk': './later/anthropic.js',
  '@xterm/headless': './later/xterm.js',
  'host/adapters/mcp/sdk': './later/mcpClient.js',
  'host/adapters/clientTools/sdk': './later/mcpServer.js',
  'host/adapters/commands/treeSitter': './later/treeSitter.js',
};

const readLater = {
  name: 'read-later',
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ path, resolveDir, kind }) => {
      if (kind === 'entry-point') return undefined;
      const from = path.startsWith('.') ? relative('.', join(resolveDir, path)).split(sep).join('/') : path;
      return Object.hasOwn(later, from) ? { path: later[from], external: true } : undefined;
    }),
};

const common = {
  bundle: true,
  plugins: [oneLanguage],
  metafile: true,
  logLevel: 'warning',
  sourcemap: production ? false : 'linked',
  minify: production,
  define: { 'process.env.NODE_ENV': JSON.stringify(production ? 'production' : 'development') },
};

/** Some dependencies ask for `import.meta.url`, which a CommonJS bundle does not have. */
const node = {
  ...common,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', 'node-pty', 'node-pty/*', '@vscode/ripgrep'],
  define: { ...common.define, 'import.meta.url': 'bundleUrl', BELAY_VERSION: JSON.stringify(version) },
  banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
};

const page = {
  ...common,
  platform: 'browser',
  target: 'chrome120',
  format: 'iife',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  external: ['*.ttf'],
  // The page may weigh 300 KB: a short table of named characters, and what the browser knows of hosts, are enough for it.
  alias: { entities: './webview/text/entities.ts', 'punycode.js': './webview/text/hosts.ts' },
};

const product = [
  { ...node, entryPoints: { extension: 'extension/extension.ts' }, outdir: dist },
  {
    ...node,
    entryPoints: { host: 'host/main.ts', thread: 'host/thread.ts' },
    outdir: dist,
    plugins: [oneLanguage, readLater],
    // `require` gives what a bundle exports by its names, which `import()` of CommonJS only guesses.
    supported: { 'dynamic-import': false },
  },
  {
    ...node,
    entryPoints: Object.entries(later)
      .filter(([, out]) => out.startsWith('./later/'))
      .map(([from, out]) => ({
        in: from.startsWith('host/') ? `./${from}.ts` : from,
        out: out.replace(/\.js$/, ''),
      })),
    outdir: dist,
  },
  {
    ...node,
    entryPoints: {
      forkServer: 'host/adapters/processes/forkServer.ts',
      ptyHost: 'host/adapters/terminals/ptyHost.ts',
    },
    outdir: dist,
    plugins: [oneLanguage],
  },
  { ...node, entryPoints: { scriptWorker: 'host/adapters/scripts/worker.ts' }, outdir: dist },
  { ...node, entryPoints: { shim: 'shim/main.ts' }, outdir: dist },
  { ...node, entryPoints: { acp: 'acp/main.ts' }, outdir: dist },
  {
    ...page,
    entryPoints: { webview: 'webview/main.tsx', highlighter: 'webview/highlighter.ts' },
    outdir: dist,
  },
  { ...page, entryPoints: { webview: 'webview/main.css' }, outdir: dist },
];

const bundles = [
  ...product,
  {
    ...node,
    entryPoints: ['test/vscode/suite/*.ts'],
    outbase: 'test/vscode/suite',
    outdir: 'out/test',
    external: [...node.external, 'mocha'],
  },
];

/** By the name under which each lies beside the bundles. */
const runTimeFiles = {
  'sql-wasm.wasm': 'node_modules/sql.js/dist/sql-wasm.wasm',
  'quickjs.wasm': 'node_modules/@jitl/quickjs-ng-wasmfile-release-sync/dist/emscripten-module.wasm',
  ...Object.fromEntries(
    ['tree-sitter.wasm', 'tree-sitter-bash.wasm', 'tree-sitter-powershell.wasm'].map((name) => [
      name,
      `node_modules/@vscode/tree-sitter-wasm/wasm/${name}`,
    ]),
  ),
  'codicon.css': 'node_modules/@vscode/codicons/dist/codicon.css',
  'codicon.ttf': 'node_modules/@vscode/codicons/dist/codicon.ttf',
};

mkdirSync(dist, { recursive: true });
for (const [name, file] of Object.entries(runTimeFiles)) copyFileSync(file, `${dist}/${name}`);

if (watch) {
  for (const bundle of bundles) await (await context({ ...bundle, logLevel: 'info' })).watch();
} else {
  const results = await Promise.all((production ? product : bundles).map((bundle) => build(bundle)));
  const meta = merge(results.map((result) => result.metafile));
  if (!production) removeStaleTests(meta);
  writeFileSync(production ? 'out/stage.meta.json' : 'out/meta.json', JSON.stringify(meta));
}

/** The runner inside VS Code loads every test bundle that it finds, so those of deleted tests must go. */
function removeStaleTests(meta) {
  for (const name of readdirSync('out/test')) {
    const built = `out/test/${name}`;
    if (!(built.replace(/\.map$/, '') in meta.outputs)) rmSync(built, { recursive: true });
  }
}

function merge(metafiles) {
  return {
    inputs: Object.assign({}, ...metafiles.map((meta) => meta.inputs)),
    outputs: Object.assign({}, ...metafiles.map((meta) => meta.outputs)),
  };
}
