/** A native tree over the snapshot: it follows every change, and its ages only while somebody can see them. */
import * as vscode from 'vscode';
import type { Snapshot } from '../../protocol';
import type { Clock } from '../clock';
import type { SnapshotStore } from '../state';
import { nextTick } from './ages';
import { TreeList, type Node } from './treeList';
import type { Row } from './treeModel';
import type { Disposable } from '../disposable';

export interface ListViewOptions {
  readonly id: string;
  rows(snapshot: Snapshot, now: number): readonly Row[];
  /** Times whose ages are shown. */
  since(snapshot: Snapshot): readonly number[];
  /** Run by a click on a row. */
  readonly open?: (row: Row) => vscode.Command | undefined;
  /** Several rows can be chosen, and dragged. */
  readonly drag?: vscode.TreeDragAndDropController<Node>;
}

export class ListView implements Disposable {
  readonly list: TreeList;
  readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: Disposable[];
  private stopTicking: (() => void) | undefined;

  constructor(
    private readonly options: ListViewOptions,
    private readonly state: SnapshotStore,
    private readonly clock: Clock,
    onVisible: () => void,
  ) {
    this.list = new TreeList(options.open);
    this.view = vscode.window.createTreeView(options.id, {
      treeDataProvider: this.list,
      ...(options.drag === undefined ? {} : { dragAndDropController: options.drag, canSelectMany: true }),
    });
    this.subscriptions = [
      this.view,
      state.onChange(() => this.refresh()),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) onVisible();
        this.refresh();
      }),
    ];
    if (this.view.visible) onVisible();
    this.refresh();
  }

  refresh(): void {
    const snapshot = this.state.current;
    const now = this.clock.now();
    this.list.show(snapshot === undefined ? [] : this.options.rows(snapshot, now));
    this.stopTicking?.();
    this.stopTicking = undefined;
    if (!this.view.visible || snapshot === undefined) return;
    const wait = nextTick(this.options.since(snapshot), now);
    if (wait !== undefined) this.stopTicking = this.clock.after(wait, () => this.refresh());
  }

  dispose(): void {
    this.stopTicking?.();
    for (const one of this.subscriptions) one.dispose();
  }
}
