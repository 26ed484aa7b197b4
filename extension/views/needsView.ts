import * as vscode from 'vscode';
import type { Clock } from '../clock';
import { COMMANDS, VIEWS } from '../ids';
import type { SnapshotStore } from '../state';
import { ListView } from './listView';
import { needOf, needRows } from './needsModel';
import type { Disposable } from '../disposable';

/** Needs you: the tree and its badge. */
export class NeedsView implements Disposable {
  private readonly inner: ListView;
  private readonly badge: Disposable;

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

  dispose(): void {
    this.badge.dispose();
    this.inner.dispose();
  }

  private showBadge(count: number): void {
    const tooltip =
      count === 1
        ? vscode.l10n.t('1 request waits for you')
        : vscode.l10n.t('{0} requests wait for you', count);
    this.inner.view.badge = count === 0 ? undefined : { value: count, tooltip };
  }
}
