import * as vscode from 'vscode';
import type { EditorCommand } from '../webview/bridgeProtocol';
import type { Belay } from './belay';
import { attachAddresses, findFiles, pickContext } from './commands/attach';
import { changeModel, chooseModel } from './commands/chooseModel';
import { setModelKey } from './commands/setModelKey';
import { languageId } from './documents/languages';
import { COMMANDS } from './ids';
import { linkTarget } from './linkTarget';
import { noticeLine } from './views/line';

/** What the chat page asks of the editor. The list is closed; each entry checks what it is given. */
export async function runEditorCommand(belay: Belay, asked: EditorCommand): Promise<void> {
  switch (asked.command) {
    case 'openDiff':
      await vscode.commands.executeCommand(COMMANDS.openDiff, { approval: asked.args.approval });
      return;
    case 'openFile':
      return openFile(asked.args.path, asked.args.folder, asked.args.line);
    case 'openLink':
      return openLink(asked.args.url);
    case 'openText':
      return openText(asked.args.text, asked.args.language);
    case 'insertText':
      return insertText(asked.args.text);
    case 'pickContext':
      return pickContext(belay);
    case 'findFiles':
      return findFiles(belay, asked.args.query);
    case 'attachAddresses':
      return attachAddresses(belay, asked.args.addresses);
    case 'reviewChanges': {
      const { path, ...scope } = asked.args;
      const command = path === undefined ? COMMANDS.reviewChanges : COMMANDS.changeDiff;
      await vscode.commands.executeCommand(command, {
        ...scope,
        ...(path === undefined ? {} : { change: path }),
      });
      return;
    }
    case 'answerQuestion':
      await vscode.commands.executeCommand(COMMANDS.answer, { question: asked.args.question });
      return;
    case 'attachTerminal':
      await vscode.commands.executeCommand(COMMANDS.handleAttach, { handle: asked.args.handle });
      return;
    case 'showHandleOutput':
      await vscode.commands.executeCommand(COMMANDS.handleOutput, { handle: asked.args.handle });
      return;
    case 'setKey':
      await setModelKey(belay, asked.args.provider);
      return;
    case 'allModels':
      if (asked.args.session === undefined) await chooseModel(belay);
      else await changeModel(belay, asked.args.session);
      return;
    case 'showLog':
      belay.log.show();
      return;
    case 'restartHost':
      await vscode.commands.executeCommand(COMMANDS.restartHost);
      return;
    case 'manageRules':
      await vscode.commands.executeCommand(COMMANDS.manageRules);
      return;
    case 'manageTrust':
      await vscode.commands.executeCommand('workbench.trust.manage');
      return;
  }
}

async function openFile(path: string, folder: string | undefined, line: number | undefined): Promise<void> {
  const workspace = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const folders = folder === undefined ? workspace : [folder, ...workspace];
  const [base] = folders;
  const full = base === undefined ? undefined : linkTarget(path, base, folders);
  if (full === undefined) {
    const text = vscode.l10n.t(
      '{0} is outside the folders of this session, so its link does not open it.',
      noticeLine(path),
    );
    void vscode.window.showWarningMessage(text);
    return;
  }
  const place = line === undefined ? {} : { selection: new vscode.Range(line - 1, 0, line - 1, 0) };
  try {
    await vscode.window.showTextDocument(vscode.Uri.file(full), { preview: true, ...place });
  } catch {
    void vscode.window.showWarningMessage(vscode.l10n.t('There is no file {0} any more.', noticeLine(full)));
  }
}

async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme === 'http' || uri.scheme === 'https') await vscode.env.openExternal(uri);
}

async function openText(text: string, named: string | undefined): Promise<void> {
  const language = named === undefined ? undefined : languageId(named, await vscode.languages.getLanguages());
  const document = await vscode.workspace.openTextDocument({
    content: text,
    ...(language === undefined ? {} : { language }),
  });
  await vscode.window.showTextDocument(document, { preview: true });
}

async function insertText(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return openText(text, undefined);
  await editor.edit((edit) => edit.replace(editor.selection, text));
}
