import * as vscode from 'vscode';
import type { Context } from '../../protocol';
import type { Belay } from '../belay';

/** Longest text that one attachment carries, characters; the agent can read the rest of a file by itself. */
const TEXT_MOST = 64 * 1024;

/** Add to the message: the selection of the active editor, or its file. */
export async function attachSelection(belay: Belay): Promise<void> {
  const context = fromEditor(vscode.window.activeTextEditor);
  if (context !== undefined) await belay.chat.show(undefined, { type: 'attach', context: [context] });
}

/** The chat's @: the person chooses what to add. */
export async function pickContext(belay: Belay): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const own = fromEditor(editor);
  const problems = editor === undefined ? undefined : fromProblems(editor.document);
  const items = [
    ...(own === undefined
      ? []
      : [{ label: labelOf(own), iconPath: new vscode.ThemeIcon('selection'), context: own }]),
    ...(problems === undefined
      ? []
      : [{ label: labelOf(problems), iconPath: new vscode.ThemeIcon('warning'), context: problems }]),
    { label: vscode.l10n.t('File or folder…'), iconPath: new vscode.ThemeIcon('file'), context: undefined },
  ];
  const choice =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Add what to the message?') });
  if (choice === undefined) return;
  const context = choice.context === undefined ? await pickFiles() : [choice.context];
  if (context.length > 0) belay.chat.tell({ type: 'attach', context });
}

async function pickFiles(): Promise<Context[]> {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const uris = await vscode.window.showOpenDialog({
    canSelectMany: true,
    canSelectFiles: true,
    canSelectFolders: true,
    openLabel: vscode.l10n.t('Add'),
    ...(root === undefined ? {} : { defaultUri: root }),
  });
  return Promise.all(
    (uris ?? []).map(async (uri) => {
      const { type } = await vscode.workspace.fs.stat(uri);
      const kind = (type & vscode.FileType.Directory) !== 0 ? 'folder' : 'file';
      return { kind, path: uri.fsPath } as const;
    }),
  );
}

function fromEditor(editor: vscode.TextEditor | undefined): Context | undefined {
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const path = editor.document.uri.fsPath;
  const { selection } = editor;
  if (selection.isEmpty) return { kind: 'file', path };
  return {
    kind: 'selection',
    path,
    range: [selection.start.line + 1, selection.end.line + 1],
    text: editor.document.getText(selection).slice(0, TEXT_MOST),
  };
}

function fromProblems(document: vscode.TextDocument): Context | undefined {
  const found = vscode.languages.getDiagnostics(document.uri);
  if (found.length === 0 || document.uri.scheme !== 'file') return undefined;
  const lines = found.map((one) => `${one.range.start.line + 1}: ${one.message}`);
  return { kind: 'problems', path: document.uri.fsPath, text: lines.join('\n').slice(0, TEXT_MOST) };
}

function labelOf(context: Context): string {
  const name = vscode.workspace.asRelativePath(context.path);
  if (context.kind === 'problems') return vscode.l10n.t('Problems of {0}', name);
  return context.range === undefined ? name : `${name}:${context.range[0]}–${context.range[1]}`;
}
