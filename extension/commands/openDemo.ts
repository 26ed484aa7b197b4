import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Belay } from '../belay';

/** Open demo workspace…: a copy of it, so that an agent may change what it likes. */
export async function openDemo(belay: Belay): Promise<void> {
  const choose = {
    label: vscode.l10n.t('Choose a folder…'),
    iconPath: new vscode.ThemeIcon('folder-opened'),
  };
  const temporary = {
    label: vscode.l10n.t('In a temporary folder'),
    iconPath: new vscode.ThemeIcon('trash'),
  };
  const choice = await vscode.window.showQuickPick([temporary, choose], {
    title: vscode.l10n.t('Where shall the demo be copied to?'),
  });
  if (choice === undefined) return;
  const folder = choice === temporary ? await mkdtemp(join(tmpdir(), 'belay-demo-')) : await pickParent();
  if (folder === undefined) return;
  const source = join(belay.context.extensionPath, 'extension', 'demo');
  await cp(source, folder, { recursive: true, errorOnExist: true, force: false });
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.file(folder), {
    forceNewWindow: true,
  });
}

async function pickParent(): Promise<string | undefined> {
  const [parent] =
    (await vscode.window.showOpenDialog({
      canSelectFolders: true,
      canSelectFiles: false,
      openLabel: vscode.l10n.t('Copy demo here'),
    })) ?? [];
  return parent === undefined ? undefined : join(parent.fsPath, 'belay-demo');
}
