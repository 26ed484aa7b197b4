import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The chat's document. It can load its own script and styles and nothing else; it can reach nothing. */
export function chatPage(webview: vscode.Webview, dist: vscode.Uri, language: string): string {
  const nonce = randomBytes(16).toString('base64');
  const file = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    'img-src data:',
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${file('codicon.css')}" id="vscode-codicon-stylesheet">
    <link rel="stylesheet" href="${file('webview.css')}">
    <title>Belay</title>
  </head>
  <body>
    <div id="app"></div>
    <script nonce="${nonce}" src="${file('webview.js')}"></script>
  </body>
</html>`;
}
