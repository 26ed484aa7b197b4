import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { beginSession } from './beginSession';
import { chooseAgent } from './chooseAgent';

/** New session: in the folder and with the agent that the person has chosen, then the cursor in the composer. */
export async function newSession(belay: Belay): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const agent = await chooseAgent(belay);
  if (agent === undefined) return;
  await beginSession(belay, folder, agent);
}

const onDisk = (): readonly vscode.WorkspaceFolder[] =>
  (vscode.workspace.workspaceFolders ?? []).filter((one) => one.uri.scheme === 'file');

/** Absolute paths of the folders of the workspace. */
export const localFolders = (): readonly string[] => onDisk().map((one) => one.uri.fsPath);

/** The folder that sessions work in: chosen only where there are several. */
export async function pickFolder(): Promise<string | undefined> {
  const folders = onDisk();
  const [first] = folders;
  if (first === undefined) {
    const open = vscode.l10n.t('Open folder');
    const text = vscode.l10n.t('A session works in a folder. Open one first.');
    if ((await vscode.window.showInformationMessage(text, open)) === open) {
      await vscode.commands.executeCommand('workbench.action.files.openFolder');
    }
    return undefined;
  }
  if (folders.length === 1) return first.uri.fsPath;
  const items = folders.map((one) => ({
    label: one.name,
    description: one.uri.fsPath,
    path: one.uri.fsPath,
  }));
  return (
    await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Which folder shall it work in?') })
  )?.path;
}
