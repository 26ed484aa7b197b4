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
  readonly style: string;
}

/** The options are those of `esbuild.config.mjs` for the page, in memory. */
export async function buildPage(): Promise<BuiltPage> {
  const built = await build({
    absWorkingDir: ROOT,
    entryPoints: { webview: 'webview/main.tsx', style: 'webview/main.css' },
    bundle: true,
    write: false,
    outdir: '/',
    platform: 'browser',
    target: 'chrome120',
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['*.ttf'],
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const text = (name: string) => built.outputFiles.find((file) => file.path.endsWith(name))?.text ?? '';
  return { script: text('webview.js'), style: text('style.css') };
}

export interface PageServer {
  url(theme: ThemeName): string;
  close(): Promise<void>;
}

export async function servePage(page: BuiltPage): Promise<PageServer> {
  const files: Record<string, readonly [string, string | Buffer]> = {
    '/webview.js': ['text/javascript', page.script],
    '/webview.css': ['text/css', page.style],
    '/codicon.css': ['text/css', readFileSync(join(CODICONS, 'codicon.css'))],
    '/codicon.ttf': ['font/ttf', readFileSync(join(CODICONS, 'codicon.ttf'))],
  };
  for (const theme of THEMES) {
    files[`/${theme}.css`] = ['text/css', themeSheet(theme)];
    files[`/${theme}`] = ['text/html', documentOf(theme)];
  }
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const file = files[path];
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': `${file[0]}; charset=utf-8` }).end(file[1]);
  });
  await listening(server);
  const { port } = server.address() as AddressInfo;
  return {
    url: (theme) => `http://127.0.0.1:${port}/${theme}`,
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
