import * as vscode from 'vscode';

/** Lets the person choose a file and writes the text to it. False when they chose none. */
export async function saveText(
  text: string,
  title: string,
  name: string,
  kinds: Record<string, string[]>,
): Promise<boolean> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title,
    filters: kinds,
    saveLabel: vscode.l10n.t('Export'),
    ...(root === undefined ? {} : { defaultUri: vscode.Uri.joinPath(root, name) }),
  });
  if (target === undefined) return false;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
  return true;
}
