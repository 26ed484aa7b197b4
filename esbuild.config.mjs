/**
 * Builds every bundle. `--production` minifies, `--watch` builds again on each change.
 * Files that are read at run time are copied beside the bundles, where the code looks for them.
 */
import { build, context } from 'esbuild';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const common = {
  bundle: true,
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
  external: ['vscode', 'node-pty', '@vscode/ripgrep'],
  define: { ...common.define, 'import.meta.url': 'bundleUrl' },
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
};

const bundles = [
  { ...node, entryPoints: { extension: 'extension/extension.ts' }, outdir: 'dist' },
  { ...node, entryPoints: { host: 'host/main.ts' }, outdir: 'dist' },
  { ...page, entryPoints: { webview: 'webview/main.tsx' }, outdir: 'dist' },
  { ...page, entryPoints: { webview: 'webview/main.css' }, outdir: 'dist' },
  {
    ...node,
    entryPoints: ['test/vscode/suite/*.ts'],
    outbase: 'test/vscode/suite',
    outdir: 'out/test',
    external: [...node.external, 'mocha'],
    minify: false,
  },
].filter(hasEntry);

const runTimeFiles = [
  'node_modules/sql.js/dist/sql-wasm.wasm',
  'node_modules/@vscode/codicons/dist/codicon.css',
  'node_modules/@vscode/codicons/dist/codicon.ttf',
];

rmSync('dist', { recursive: true, force: true });
rmSync('out/test', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });
mkdirSync('out', { recursive: true });
for (const file of runTimeFiles) copyFileSync(file, `dist/${basename(file)}`);

if (watch) {
  for (const bundle of bundles) await (await context({ ...bundle, logLevel: 'info' })).watch();
} else {
  const results = await Promise.all(bundles.map((bundle) => build(bundle)));
  writeFileSync('out/meta.json', JSON.stringify(merge(results.map((result) => result.metafile))));
}

function merge(metafiles) {
  return {
    inputs: Object.assign({}, ...metafiles.map((meta) => meta.inputs)),
    outputs: Object.assign({}, ...metafiles.map((meta) => meta.outputs)),
  };
}

function hasEntry(bundle) {
  const entries = Array.isArray(bundle.entryPoints)
    ? ['test/vscode/suite/index.ts']
    : Object.values(bundle.entryPoints);
  return entries.every((entry) => existsSync(entry));
}
