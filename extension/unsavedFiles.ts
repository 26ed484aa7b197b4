/**
 * Tells the host which files the person has changed here and not saved, so that no agent works behind their back.
 *
 * 1. Every start of a host is told of them with `initialize`; from then on it is told whenever they are others.
 * 2. One message is on its way at a time; what changes meanwhile is told in the next one, which has the whole.
 */
import * as vscode from 'vscode';
import { UNSAVED_FILES_MOST } from '../protocol/limits';
import type { Disposable } from './disposable';
import type { HostClient } from './hostClient';
import { messageOf } from './hostError';

export class UnsavedFiles implements Disposable {
  private readonly subscriptions: readonly Disposable[];
  private host: Pick<HostClient, 'status' | 'request'> | undefined;
  /** What the running host knows. */
  private told = '';
  private telling = false;

  constructor(private readonly warn: (text: string) => void) {
    const look = (): void => void this.tell();
    this.subscriptions = [
      // A change of its state is told as one of its content as well; most keys change nothing here.
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.isDirty !== this.knows(document.uri)) look();
      }),
      vscode.workspace.onDidOpenTextDocument(look),
      vscode.workspace.onDidSaveTextDocument(look),
      vscode.workspace.onDidCloseTextDocument(look),
      vscode.workspace.onDidChangeNotebookDocument(look),
      vscode.workspace.onDidSaveNotebookDocument(look),
      vscode.workspace.onDidCloseNotebookDocument(look),
      vscode.window.tabGroups.onDidChangeTabs(look),
    ];
  }

  /** From now on changes are told to this host. */
  follow(host: HostClient): void {
    this.host = host;
    host.onStatus(({ kind }) => {
      if (kind === 'ready') void this.tell();
    });
  }

  /** What `initialize` says of them. */
  read(): string[] {
    const paths = this.paths();
    this.told = paths.join('\0');
    return paths;
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
  }

  private knows({ fsPath }: vscode.Uri): boolean {
    return this.told.split('\0').includes(fsPath);
  }

  private async tell(): Promise<void> {
    const host = this.host;
    if (this.telling || host?.status.kind !== 'ready') return;
    this.telling = true;
    try {
      for (;;) {
        const before = this.told;
        const paths = this.read();
        if (this.told === before) return;
        await host.request('editor/unsaved', { paths });
      }
    } catch (error) {
      // A host that has gone is told anew at its next start.
      this.warn(`Which files are not saved was not taken: ${messageOf(error)}`);
    } finally {
      this.telling = false;
    }
  }

  private paths(): string[] {
    const documents = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments]
      .filter(({ isDirty }) => isDirty)
      .map(({ uri }) => uri);
    // Editors of other extensions have documents of their own.
    const custom = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .flatMap(({ isDirty, input }) =>
        isDirty && input instanceof vscode.TabInputCustom ? [input.uri] : [],
      );
    const files = [...documents, ...custom].filter(({ scheme }) => scheme === 'file');
    const paths = [...new Set(files.map(({ fsPath }) => fsPath))].sort();
    if (paths.length > UNSAVED_FILES_MOST)
      this.warn(
        `${String(paths.length)} files are not saved; the host is told of ${String(UNSAVED_FILES_MOST)}.`,
      );
    return paths.slice(0, UNSAVED_FILES_MOST);
  }
}
