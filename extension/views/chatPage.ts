import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isRecord } from '../hostError';

/** The chat's document. It can load its own script and styles and nothing else; it can reach nothing. */
export function chatPage(webview: vscode.Webview, dist: vscode.Uri): string {
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
<html lang="${vscode.env.language}">
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

/**
 * The page's texts in the person's language, from `l10n/page.LANGUAGE.json`; its keys are those of
 * `webview/strings.ts`. What is missing there is shown in English.
 */
export async function readPageTexts(folder: vscode.Uri): Promise<Readonly<Record<string, string>>> {
  const { language } = vscode.env;
  for (const name of [language, language.split('-')[0]]) {
    try {
      const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, `page.${name}.json`));
      const texts: unknown = JSON.parse(new TextDecoder().decode(file));
      if (!isRecord(texts)) return {};
      return Object.fromEntries(
        Object.entries(texts).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
      );
    } catch {
      // There is no translation into this language, or not into this variant of it.
    }
  }
  return {};
}
