import * as vscode from 'vscode';
import type { Clock } from '../clock';
import { COMMANDS, VIEWS } from '../ids';
import type { SnapshotStore } from '../state';
import { ListView } from './listView';
import { needOf, needRows } from './needsModel';
import type { Node } from './treeList';
import type { Disposable } from '../disposable';

/** Needs you: the tree and its badge. */
export class NeedsView implements Disposable {
  private readonly inner: ListView;
  private readonly badge: Disposable;
  private taking = false;

  constructor(state: SnapshotStore, clock: Clock, onVisible: () => void) {
    this.inner = new ListView(
      {
        id: VIEWS.needs,
        rows: needRows,
        since: (snapshot) => snapshot.needs.map((need) => needOf(need).askedAt),
        open: (row) => ({
          command: COMMANDS.needShow,
          title: vscode.l10n.t('Show in chat'),
          arguments: [{ subject: row.subject }],
        }),
      },
      state,
      clock,
      onVisible,
    );
    this.badge = state.onChange(({ snapshot }) => this.showBadge(snapshot?.needs.length ?? 0));
    this.showBadge(state.current?.needs.length ?? 0);
  }

  get visible(): boolean {
    return this.inner.view.visible;
  }

  /** Puts the focus on this request, or on the one after `last`, or on the first; gives the id of the one it is on. */
  async reveal(id?: string, last?: string): Promise<string | undefined> {
    const leaves = this.inner.list
      .all()
      .filter((node) => !('group' in node.subject) && node.children.length === 0);
    const after = leaves.findIndex((leaf) => leaf.row.id === `need/${last}`) + 1;
    const node = leaves.find((leaf) => leaf.row.id === `need/${id}`) ?? leaves[after] ?? leaves[0];
    if (node === undefined) return undefined;
    await this.inner.view.reveal(node, { select: true, focus: true });
    return node.row.id.slice('need/'.length);
  }

  /**
   * The row that has the focus, which it loses with that: when an answered row leaves, VS Code gives its focus to
   * another one, and a key that is held down would then answer what nobody has read.
   */
  async takeFocused(): Promise<Node | undefined> {
    if (this.taking) return undefined;
    this.taking = true;
    try {
      // A list that was drawn anew in the midst of it is looked at again.
      const row = (await this.lookForFocus()) ?? (await this.lookForFocus());
      if (row !== undefined) await vscode.commands.executeCommand('list.clear');
      return row;
    } finally {
      this.taking = false;
    }
  }

  dispose(): void {
    this.badge.dispose();
    this.inner.dispose();
  }

  /**
   * VS Code does not tell which row has the focus: its selection is toggled and put back, and what changed in between
   * is that row. Undefined when it was not exactly one.
   */
  private async lookForFocus(): Promise<Node | undefined> {
    const toggled = async (): Promise<readonly Node[]> => {
      await vscode.commands.executeCommand('list.toggleSelection');
      return this.inner.view.selection;
    };
    const before = this.inner.view.selection;
    const between = await toggled();
    await toggled();
    const changed = [
      ...between.filter((node) => !before.includes(node)),
      ...before.filter((node) => !between.includes(node)),
    ];
    return changed.length === 1 ? changed[0] : undefined;
  }

  private showBadge(count: number): void {
    const tooltip =
      count === 1
        ? vscode.l10n.t('1 request waits for you')
        : vscode.l10n.t('{0} requests wait for you', count);
    this.inner.view.badge = count === 0 ? undefined : { value: count, tooltip };
  }
}
