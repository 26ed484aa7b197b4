import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Context } from '../../protocol';
import type { Belay } from '../belay';
import { COMMANDS } from '../ids';
import { noticeLines } from '../views/line';

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

/** Add to the message: what is selected in the terminal. The clipboard's text is as it was afterwards. */
export async function attachTerminalText(belay: Belay): Promise<void> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return;
  const text = await copiedFrom();
  if (text.trim() === '') {
    void vscode.window.showInformationMessage(vscode.l10n.t('Select text in the terminal first.'));
    return;
  }
  await show(belay, [{ kind: 'terminal', path: terminal.name, text: cut(text) }]);
}

/** VS Code gives a terminal's selection to the clipboard only. Without a selection it is not touched. */
async function copiedFrom(): Promise<string> {
  const { clipboard } = vscode.env;
  const copy = (): Thenable<void> =>
    vscode.commands.executeCommand('workbench.action.terminal.copySelection');
  const before = await clipboard.readText();
  try {
    await copy();
    const after = await clipboard.readText();
    if (after !== before || before === '') return after;
    // Nothing is selected, or just what had been copied before.
    await clipboard.writeText('');
    await copy();
    return await clipboard.readText();
  } finally {
    if ((await clipboard.readText()) !== before) await clipboard.writeText(before);
  }
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
    for (const { name, up } of foldersOf(nameOf(uri), query)) {
      const path = join(uri.fsPath, ...Array<string>(up).fill('..'));
      items.set(path, { path, name: `${name}/`, folder: true });
    }
    items.set(uri.fsPath, { path: uri.fsPath, name: nameOf(uri), folder: false });
  }
  belay.chat.tell({ type: 'files', query, items: [...items.values()].slice(0, FOUND_MOST) });
}

/** Folders on the way to a file whose own name holds the query, and how many steps above the file they are. */
function foldersOf(name: string, query: string): { readonly name: string; readonly up: number }[] {
  if (query === '') return [];
  const parts = name.split('/');
  return parts
    .slice(0, -1)
    .flatMap((part, index) =>
      part.toLowerCase().includes(query.toLowerCase())
        ? [{ name: parts.slice(0, index + 1).join('/'), up: parts.length - 1 - index }]
        : [],
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

/** What is not there any more is named; the others are added all the same. */
async function contextOf(uris: readonly vscode.Uri[]): Promise<Context[]> {
  const looked = await Promise.allSettled(uris.map((uri) => vscode.workspace.fs.stat(uri)));
  const missing = uris.filter((_uri, index) => looked[index]?.status === 'rejected');
  if (missing.length > 0) {
    const names = noticeLines(missing.map(({ fsPath }) => basename(fsPath)));
    void vscode.window.showWarningMessage(vscode.l10n.t('This cannot be read and was not added: {0}', names));
  }
  return looked.flatMap((one, index) => {
    const uri = uris[index];
    if (one.status === 'rejected' || uri === undefined) return [];
    const kind = (one.value.type & vscode.FileType.Directory) !== 0 ? 'folder' : 'file';
    return [{ kind, path: uri.fsPath } as const];
  });
}

/** What exceeds the limit is cut, and says so: the person on the chip, the agent in the text (R10). */
function cut(text: string): string {
  if (text.length <= TEXT_MOST) return text;
  const note = vscode.l10n.t('[Cut here: {0} of {1} characters were added.]', TEXT_MOST, text.length);
  return `${text.slice(0, TEXT_MOST)}\n${note}`;
}

/** The selection of an editor, or its file; undefined when it shows no file. */
export function fromEditor(editor: vscode.TextEditor | undefined): Context | undefined {
  if (editor?.document.uri.scheme !== 'file') return undefined;
  const path = editor.document.uri.fsPath;
  const { selection } = editor;
  if (selection.isEmpty) return { kind: 'file', path };
  return {
    kind: 'selection',
    path,
    range: [selection.start.line + 1, selection.end.line + 1],
    text: cut(editor.document.getText(selection)),
  };
}

function fromProblems(uri: vscode.Uri, found: readonly vscode.Diagnostic[]): Context | undefined {
  if (found.length === 0 || uri.scheme !== 'file') return undefined;
  const lines = found.map((one) => `${one.range.start.line + 1}: ${one.message}`);
  return { kind: 'problems', path: uri.fsPath, text: cut(lines.join('\n')) };
}

function labelOf(context: Context): string {
  const name = vscode.workspace.asRelativePath(context.path);
  if (context.kind === 'problems') return vscode.l10n.t('Problems of {0}', name);
  return context.range === undefined ? name : `${name}:${context.range[0]}–${context.range[1]}`;
}
