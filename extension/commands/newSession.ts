import * as vscode from 'vscode';
import { known, type Belay } from '../belay';
import { chooseModel, modelItems } from './chooseModel';

/** New session: in the folder and with the model that the person has chosen, then the cursor in the composer. */
export async function newSession(belay: Belay): Promise<void> {
  const snapshot = await known(belay);
  const folder = await pickFolder();
  if (folder === undefined) return;
  const model = belay.settings.defaultModel() ?? (await onlyReadyModel(belay)) ?? (await chooseModel(belay));
  if (model === undefined) return;
  const untouched = snapshot.sessions.find(
    (one) =>
      one.folder === folder &&
      one.createdAt === one.updatedAt &&
      one.ended === undefined &&
      one.turn === undefined &&
      one.title === '',
  );
  const session =
    untouched ??
    (await belay.host.request('session/create', { folder, agent: { kind: 'model', model } })).session;
  await belay.chat.show(session.id, { type: 'focus', target: 'composer' });
}

/** The folder that sessions work in: chosen only where there are several. */
export async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((one) => one.uri.scheme === 'file');
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

async function onlyReadyModel(belay: Belay): Promise<string | undefined> {
  const ready = (await modelItems(belay)).filter((item) => item.model.ready);
  return ready.length === 1 ? ready[0]?.model.id : undefined;
}
