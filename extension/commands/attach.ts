import * as vscode from 'vscode';
import type { Context } from '../../protocol';
import type { Belay } from '../belay';
import { COMMANDS } from '../ids';

/** Longest text that one attachment carries, characters; the agent can read the rest of a file by itself. */
const TEXT_MOST = 64 * 1024;

/** Add to the message: the selection of the active editor, or its file. */
export async function attachSelection(belay: Belay): Promise<void> {
  const context = fromEditor(vscode.window.activeTextEditor);
  if (context !== undefined) await belay.chat.show(undefined, { type: 'attach', context: [context] });
}

/** Add to the message: files and folders from the explorer or from a tab. */
export async function attachFile(belay: Belay, target: unknown, all: unknown): Promise<void> {
  const many = Array.isArray(all) ? all.filter((one) => one instanceof vscode.Uri) : [];
  const active = vscode.window.activeTextEditor?.document.uri;
  const uris =
    many.length > 0 ? many : target instanceof vscode.Uri ? [target] : active === undefined ? [] : [active];
  await show(belay, await contextOf(uris.filter(({ scheme }) => scheme === 'file')));
}

/** Add to the message: what is selected in the terminal. The clipboard is as it was afterwards. */
export async function attachTerminalText(belay: Belay): Promise<void> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return;
  const before = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText('');
  await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
  const text = await vscode.env.clipboard.readText();
  await vscode.env.clipboard.writeText(before);
  if (text.trim() === '') {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select text in the terminal first.'));
    return;
  }
  await show(belay, [{ kind: 'terminal', path: terminal.name, text: text.slice(0, TEXT_MOST) }]);
}

/** Add to the message: one problem, from its light bulb or its menu in the Problems view. */
export async function attachProblem(belay: Belay, target: unknown): Promise<void> {
  if (target instanceof vscode.Uri) {
    const context = fromProblems(target, vscode.languages.getDiagnostics(target));
    await show(belay, context === undefined ? [] : [context]);
  } else if (isProblem(target)) {
    const context = fromProblems(target.uri, [target.diagnostic]);
    await show(belay, context === undefined ? [] : [context]);
  }
}

interface Problem {
  readonly uri: vscode.Uri;
  readonly diagnostic: vscode.Diagnostic;
}

function isProblem(target: unknown): target is Problem {
  return (
    typeof target === 'object' &&
    target !== null &&
    'uri' in target &&
    target.uri instanceof vscode.Uri &&
    'diagnostic' in target
  );
}

/** Offers every problem of a file to the agent, where VS Code offers mends. */
export function offerProblems(): vscode.Disposable {
  const kind = vscode.CodeActionKind.QuickFix.append('belay');
  return vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions: (document, _range, { diagnostics }) => {
        if (!vscode.workspace.isTrusted) return [];
        return diagnostics.map((diagnostic) => {
          const title = vscode.l10n.t('Send to Belay: {0}', diagnostic.message.split('\n')[0] ?? '');
          const action = new vscode.CodeAction(title, kind);
          action.diagnostics = [diagnostic];
          const problem: Problem = { uri: document.uri, diagnostic };
          action.command = { command: COMMANDS.attachProblem, title, arguments: [problem] };
          return action;
        });
      },
    },
    { providedCodeActionKinds: [kind] },
  );
}

async function show(belay: Belay, context: readonly Context[]): Promise<void> {
  if (context.length > 0) await belay.chat.show(undefined, { type: 'attach', context });
}

/** Files that were dropped on the chat, by their addresses. */
export async function attachAddresses(belay: Belay, addresses: readonly string[]): Promise<void> {
  const uris = addresses.slice(0, ADDRESSES_MOST).map((address) => vscode.Uri.parse(address));
  const context = await contextOf(
    uris.filter(({ scheme }) => scheme === 'file' || scheme === 'vscode-remote'),
  );
  if (context.length > 0) belay.chat.tell({ type: 'attach', context });
}

/** What one message takes. */
const ADDRESSES_MOST = 64;
/** Files that are offered after an @. */
const FOUND_MOST = 20;

/** Files whose path holds what was written after an @; those that are open come first. */
export async function findFiles(belay: Belay, query: string): Promise<void> {
  const escaped = query.replace(/[[\]{}*?\\]/g, '');
  const open = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
    .filter((uri) => uri.scheme === 'file' && nameOf(uri).toLowerCase().includes(query.toLowerCase()));
  const found = await vscode.workspace.findFiles(
    escaped === '' ? '**/*' : `**/*${escaped}*`,
    undefined,
    FOUND_MOST,
  );
  const inFolder =
    escaped === '' ? [] : await vscode.workspace.findFiles(`**/*${escaped}*/**`, undefined, FOUND_MOST);
  const items = new Map<string, { path: string; name: string; folder: boolean }>();
  for (const uri of [...open, ...found, ...inFolder]) {
    for (const folder of foldersOf(nameOf(uri), query)) {
      const path = uri.fsPath.slice(0, uri.fsPath.length - nameOf(uri).length + folder.length);
      items.set(path, { path, name: `${folder}/`, folder: true });
    }
    items.set(uri.fsPath, { path: uri.fsPath, name: nameOf(uri), folder: false });
  }
  belay.chat.tell({ type: 'files', query, items: [...items.values()].slice(0, FOUND_MOST) });
}

/** Folders on the way to a file whose own name holds the query. */
function foldersOf(name: string, query: string): string[] {
  if (query === '') return [];
  const parts = name.split('/').slice(0, -1);
  return parts.flatMap((part, index) =>
    part.toLowerCase().includes(query.toLowerCase()) ? [parts.slice(0, index + 1).join('/')] : [],
  );
}

const nameOf = (uri: vscode.Uri): string => vscode.workspace.asRelativePath(uri);

/** The chat's @: the person chooses what to add. */
export async function pickContext(belay: Belay): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const own = fromEditor(editor);
  const uri = editor?.document.uri;
  const problems = uri === undefined ? undefined : fromProblems(uri, vscode.languages.getDiagnostics(uri));
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
  return contextOf(uris ?? []);
}

function contextOf(uris: readonly vscode.Uri[]): Promise<Context[]> {
  return Promise.all(
    uris.map(async (uri) => {
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

function fromProblems(uri: vscode.Uri, found: readonly vscode.Diagnostic[]): Context | undefined {
  if (found.length === 0 || uri.scheme !== 'file') return undefined;
  const lines = found.map((one) => `${one.range.start.line + 1}: ${one.message}`);
  return { kind: 'problems', path: uri.fsPath, text: lines.join('\n').slice(0, TEXT_MOST) };
}

function labelOf(context: Context): string {
  const name = vscode.workspace.asRelativePath(context.path);
  if (context.kind === 'problems') return vscode.l10n.t('Problems of {0}', name);
  return context.range === undefined ? name : `${name}:${context.range[0]}–${context.range[1]}`;
}
