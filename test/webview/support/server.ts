/** Builds the page as the bundle is built, and serves it under the extension's content security policy. */
import { build } from 'esbuild';
import { createServer, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { BODY_CLASS, themeSheet, THEMES, type ThemeName } from './themes';

const ROOT = join(__dirname, '..', '..', '..');
const CODICONS = join(ROOT, 'node_modules', '@vscode', 'codicons', 'dist');

export interface BuiltPage {
  readonly script: string;
  /** The script that the page reads with the first code it shows. */
  readonly highlighter: string;
  readonly style: string;
  /** Size of the script, and the part of it that the library of the protocol's schemas takes. */
  readonly bytes: number;
  readonly schemas: number;
  /** The page's own source texts, one after the other. */
  readonly own: string;
}

let built: Promise<BuiltPage> | undefined;

/** Built once for all files of tests in a process. */
export function buildPage(): Promise<BuiltPage> {
  built ??= bundle();
  return built;
}

/** The options are those of `esbuild.config.mjs` for the page, in memory. */
async function bundle(): Promise<BuiltPage> {
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: {
      webview: 'webview/main.tsx',
      highlighter: 'webview/highlighter.ts',
      style: 'webview/main.css',
    },
    bundle: true,
    write: false,
    outdir: '/',
    platform: 'browser',
    target: 'chrome120',
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['*.ttf'],
    alias: { entities: './webview/text/entities.ts', 'punycode.js': './webview/text/hosts.ts' },
    minify: true,
    metafile: true,
    // The build says what is wrong with the manifest; here it would only be said again.
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const text = (name: string) => result.outputFiles.find((file) => file.path.endsWith(name))?.text ?? '';
  const script = text('webview.js');
  const outputs = Object.entries(result.metafile.outputs);
  const inputs = outputs.find(([path]) => path.endsWith('webview.js'))?.[1].inputs ?? {};
  const schemas = Object.entries(inputs)
    .filter(([path]) => path.includes('node_modules/zod/'))
    .reduce((sum, [, input]) => sum + input.bytesInOutput, 0);
  const own = outputs
    .flatMap(([, output]) => Object.keys(output.inputs))
    .filter((path) => path.startsWith('webview/'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  return {
    script,
    highlighter: text('highlighter.js'),
    style: text('style.css'),
    bytes: Buffer.byteLength(script),
    schemas,
    own,
  };
}

export interface PageServer {
  url(theme: ThemeName): string;
  /** The address of a document with nothing in it. */
  readonly nothing: string;
  close(): Promise<void>;
}

export async function servePage(page: BuiltPage): Promise<PageServer> {
  const files: Record<string, readonly [string, string | Buffer]> = {
    '/webview.js': ['text/javascript', page.script],
    '/highlighter.js': ['text/javascript', page.highlighter],
    '/webview.css': ['text/css', page.style],
    '/codicon.css': ['text/css', readFileSync(join(CODICONS, 'codicon.css'))],
    '/codicon.ttf': ['font/ttf', readFileSync(join(CODICONS, 'codicon.ttf'))],
    '/nothing': ['text/html', '<!DOCTYPE html><link rel="icon" href="data:,">'],
  };
  for (const theme of THEMES) {
    files[`/${theme}.css`] = ['text/css', themeSheet(theme)];
    files[`/${theme}`] = ['text/html', documentOf(theme)];
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const file = files[path];
    if (file === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': `${file[0]}; charset=utf-8`, 'cache-control': 'max-age=3600' })
        .end(file[1]);
  });
  await listening(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: (theme) => `http://127.0.0.1:${port}/${theme}`,
    nothing: `http://127.0.0.1:${port}/nothing`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
}

function documentOf(theme: ThemeName): string {
  const policy =
    "default-src 'none'; script-src 'nonce-n1'; style-src 'self'; font-src 'self'; img-src data:";
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Belay</title>
<link rel="stylesheet" href="/${theme}.css">
<link rel="stylesheet" href="/codicon.css">
<link rel="stylesheet" href="/webview.css">
</head>
<body class="${BODY_CLASS[theme]}">
<div id="app"></div>
<script nonce="n1" src="/webview.js"></script>
</body>
</html>`;
}
