/**
 * The files that the agent has changed in the session that the chat shows. Nothing of it is read before it is shown.
 *
 * Owns: the files that are listed. While it is visible it is read anew soon after a file was changed, by the agent or
 * by the person, or after something was reverted.
 */
import * as vscode from 'vscode';
import type { BelayEvent, FileChange, Session } from '../../protocol';
import type { Clock } from '../clock';
import { setKey } from '../contextKeys';
import type { Disposable } from '../disposable';
import type { HostClient } from '../hostClient';
import type { Scope } from '../documents/changeFiles';
import { COMMANDS, CONTEXT, VIEWS } from '../ids';
import type { SnapshotStore } from '../state';
import { changeRows } from './changesModel';
import type { ChatView } from './chatView';
import { TreeList } from './treeList';

/** How long changes are gathered before the list is read anew, ms. */
const SOON_MS = 200;

const CHANGES: ReadonlySet<BelayEvent['type']> = new Set<BelayEvent['type']>([
  'file_changed',
  'changes_reverted',
  'turns_pruned',
  'session_deleted',
]);

export class ChangesView implements Disposable {
  private readonly list = new TreeList((row) => ({
    command: COMMANDS.changeDiff,
    title: vscode.l10n.t('Open diff'),
    arguments: [{ subject: row.subject }],
  }));
  private readonly view: vscode.TreeView<unknown>;
  private readonly subscriptions: readonly Disposable[];
  private listed: readonly FileChange[] = [];
  private reading = 0;
  private stopWaiting: (() => void) | undefined;

  constructor(
    private readonly host: HostClient,
    private readonly state: SnapshotStore,
    private readonly chat: ChatView,
    private readonly clock: Clock,
    onVisible: () => void,
  ) {
    this.view = vscode.window.createTreeView(VIEWS.changes, {
      treeDataProvider: this.list,
      showCollapseAll: false,
    });
    this.subscriptions = [
      this.view,
      chat.onShown(() => this.soon()),
      host.onStatus(({ kind }) => {
        if (kind === 'ready') this.soon();
      }),
      state.onChange(({ event, previous }) => {
        if (previous === undefined || (event !== undefined && CHANGES.has(event.type))) this.soon();
      }),
      vscode.workspace.onDidSaveTextDocument(() => this.soon()),
      vscode.workspace.onDidDeleteFiles(() => this.soon()),
      vscode.workspace.onDidRenameFiles(() => this.soon()),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) onVisible();
        this.soon();
      }),
    ];
    if (this.view.visible) this.soon();
  }

  /** The files of the shown session, read now. */
  async read(): Promise<readonly FileChange[]> {
    const turn = ++this.reading;
    const session = this.session();
    const changes = session === undefined ? [] : await changesOf(this.host, { session: session.id });
    if (turn !== this.reading) return changes;
    this.listed = changes;
    this.list.show(session === undefined ? [] : changeRows(this.listed, session));
    this.view.description = session?.title ?? '';
    setKey(CONTEXT.changes, session === undefined ? 'none' : changes.length);
    return changes;
  }

  dispose(): void {
    this.stopWaiting?.();
    for (const one of this.subscriptions) one.dispose();
  }

  private session(): Session | undefined {
    return this.state.current?.sessions.find(({ id }) => id === this.chat.session);
  }

  private soon(): void {
    if (!this.view.visible || this.host.status.kind !== 'ready') return;
    this.stopWaiting ??= this.clock.after(SOON_MS, () => {
      this.stopWaiting = undefined;
      this.read().catch(() => undefined);
    });
  }
}

/** All files of a scope, however many pages they fill. */
export async function changesOf(host: HostClient, scope: Scope): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await host.request('change/list', {
      ...scope,
      limit: 256,
      ...(cursor === undefined ? {} : { cursor }),
    });
    changes.push(...items);
    cursor = next;
  } while (cursor !== undefined);
  return changes;
}
