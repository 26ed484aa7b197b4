/**
 * Shows rows in a native tree. It keeps one node per row id, so that only what changed is drawn again, nothing
 * moves under the pointer, and focus and selection stay.
 */
import * as vscode from 'vscode';
import { line } from './line';
import { sameLook, sameShape, type Row, type Subject } from './treeModel';

/** What a command gets when it is run from a row. `subject` says what the row stands for. */
export class Node {
  children: readonly Node[] = [];

  constructor(
    public row: Row,
    readonly parent: Node | undefined,
  ) {}

  get subject(): Subject {
    return this.row.subject;
  }
}

export class TreeList implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<Node[] | undefined>();
  private roots: readonly Node[] = [];

  readonly onDidChangeTreeData = this.changed.event;

  /** `open` is the command that a click on a row without children runs, if any. */
  constructor(private readonly open?: (row: Row) => vscode.Command | undefined) {}

  show(rows: readonly Row[]): void {
    const before = this.roots.map((node) => node.row);
    if (sameShape(before, rows)) {
      const redrawn = this.roots.flatMap((node, index) => redraw(node, rows[index]));
      if (redrawn.length > 0) this.changed.fire(redrawn);
      return;
    }
    const known = new Map(this.all().map((node) => [node.row.id, node]));
    this.roots = rows.map((row) => adopt(row, undefined, known));
    this.changed.fire(undefined);
  }

  all(): readonly Node[] {
    return this.roots.flatMap((node) => [node, ...node.children]);
  }

  find(id: string): Node | undefined {
    return this.all().find((node) => node.row.id === id);
  }

  getChildren(node?: Node): Node[] {
    return [...(node === undefined ? this.roots : node.children)];
  }

  getParent(node: Node): Node | undefined {
    return node.parent;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { row } = node;
    const item = new vscode.TreeItem(line(row.label), fold(row));
    item.id = row.id;
    item.description = line(row.description);
    item.iconPath = new vscode.ThemeIcon(
      row.icon,
      row.color === undefined ? undefined : new vscode.ThemeColor(row.color),
    );
    item.contextValue = row.context;
    item.accessibilityInformation = { label: line(row.spoken) };
    const open = node.children.length > 0 ? undefined : this.open?.(row);
    if (open !== undefined) item.command = open;
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: Node): vscode.TreeItem {
    item.tooltip = new vscode.MarkdownString(node.row.tooltip());
    return item;
  }
}

function fold(row: Row): vscode.TreeItemCollapsibleState {
  if ((row.children ?? []).length === 0) return vscode.TreeItemCollapsibleState.None;
  return row.folded === true
    ? vscode.TreeItemCollapsibleState.Collapsed
    : vscode.TreeItemCollapsibleState.Expanded;
}

function redraw(node: Node, row: Row | undefined): Node[] {
  if (row === undefined) return [];
  const own = sameLook(node.row, row) ? [] : [node];
  node.row = row;
  return [...own, ...node.children.flatMap((child, index) => redraw(child, row.children?.[index]))];
}

/** A row that was there before keeps its node, unless it has moved to another parent. */
function adopt(row: Row, parent: Node | undefined, known: ReadonlyMap<string, Node>): Node {
  const old = known.get(row.id);
  const node = old !== undefined && old.parent === parent ? old : new Node(row, parent);
  node.row = row;
  node.children = (row.children ?? []).map((child) => adopt(child, node, known));
  return node;
}
