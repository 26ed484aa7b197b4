import * as vscode from 'vscode';
import type { SessionId } from '../../protocol';
import type { Node } from './treeList';

/** What is dragged inside the view. */
const KIND = 'application/vnd.code.tree.belay.sessions';

/** Sessions are archived by dropping them on Archived. */
export function sessionDrag(
  sessionOf: (node: Node) => { readonly id: SessionId; readonly archived: boolean } | undefined,
  archive: (session: SessionId) => Promise<void>,
): vscode.TreeDragAndDropController<Node> {
  return {
    dragMimeTypes: [KIND],
    dropMimeTypes: [KIND],
    handleDrag: (nodes, data) => data.set(KIND, new vscode.DataTransferItem(nodes)),
    handleDrop: async (target, data) => {
      const dragged: unknown = data.get(KIND)?.value;
      if (target === undefined || !isArchive(target) || !Array.isArray(dragged)) return;
      for (const node of dragged) {
        const session = isNode(node) ? sessionOf(node) : undefined;
        if (session?.archived === false) await archive(session.id);
      }
    },
  };
}

const isArchive = (node: Node): boolean =>
  node.row.id === 'archived' || (node.parent !== undefined && isArchive(node.parent));

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'row' in value && 'subject' in value;
