/**
 * Both contents of a file that the agent has changed, as read-only files: VS Code reads their bytes itself, so any
 * encoding, and a picture, looks there as it looks everywhere.
 */
import * as vscode from 'vscode';
import type { FileChange } from '../../protocol';
import type { HostClient } from '../hostClient';
import { SCHEMES } from '../ids';
import type { Disposable } from '../disposable';

/** What was changed, and over what: one turn, or the session without one. */
export interface Scope {
  readonly session: string;
  readonly turn?: string;
}

type Side = 'before' | 'after';

export function provideChangeFiles(host: HostClient): Disposable {
  return vscode.workspace.registerFileSystemProvider(SCHEMES.change, new ChangeFiles(host), {
    isReadonly: true,
    isCaseSensitive: true,
  });
}

export function sideUri({ session, turn }: Scope, path: string, side: Side): vscode.Uri {
  const query = new URLSearchParams({ session, side, ...(turn === undefined ? {} : { turn }) });
  return vscode.Uri.file(path).with({ scheme: SCHEMES.change, query: query.toString() });
}

/** What stands on the right: the file itself as long as it is what the person would edit, else what was left of it. */
export function rightUri(
  scope: Scope,
  change: Pick<FileChange, 'path' | 'state' | 'kind' | 'unkept'>,
): vscode.Uri {
  const left = change.state === 'as_left' && change.kind !== 'deleted';
  const live = left || ((scope.turn === undefined || change.unkept === true) && change.state === 'edited');
  return live ? vscode.Uri.file(change.path) : sideUri(scope, change.path, 'after');
}

class ChangeFiles implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  constructor(private readonly host: HostClient) {}

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: byteLength };
  }

  /** A side on which there was no file is empty. */
  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const query = new URLSearchParams(uri.query);
    const turn = query.get('turn');
    const sides = await this.host.relay('change/read', {
      session: query.get('session'),
      path: uri.with({ scheme: 'file', query: '' }).fsPath,
      ...(turn === null ? {} : { turn }),
    });
    const side = query.get('side') === 'before' ? 'before' : 'after';
    const content: unknown =
      typeof sides === 'object' && sides !== null ? Reflect.get(sides, side) : undefined;
    return typeof content === 'string' ? Buffer.from(content, 'base64') : new Uint8Array();
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
