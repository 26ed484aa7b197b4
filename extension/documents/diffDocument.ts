/**
 * Both sides of a proposed edit, in VS Code's own diff editor. The editor closes when its request is answered: a
 * proposal that no longer waits must not look like one.
 */
import * as vscode from 'vscode';
import type { Approval } from '../../protocol';
import { known, type Belay } from '../belay';
import { SCHEMES } from '../ids';
import { approvalOf } from '../subjects';
import { tellGone } from '../verdict';
import type { Disposable } from '../disposable';

/** Texts of the sides that are shown, by address. */
const sides = new Map<string, string>();

export async function openDiff(belay: Belay, target: unknown): Promise<void> {
  const approval = approvalOf(await known(belay), target);
  if (approval === undefined) {
    tellGone();
    return;
  }
  const { path, before, after } = await belay.host.request('approval/preview', { approval: approval.id });
  const left = sideUri(approval, path, 'before');
  const right = sideUri(approval, path, 'after');
  sides.set(left.toString(), before);
  sides.set(right.toString(), after);
  const title = vscode.l10n.t('{0} (proposed by the agent)', approval.title);
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
}

export function provideDiffs(belay: Belay): Disposable {
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.diff, {
      provideTextDocumentContent: (uri) => sides.get(uri.toString()) ?? '',
    }),
    belay.state.onChange(({ snapshot }) => {
      if (sides.size === 0 || snapshot === undefined) return;
      const gone = openDiffs().filter((tab) => approvalOf(snapshot, tab.uri) === undefined);
      if (gone.length > 0) void vscode.window.tabGroups.close(gone.map((one) => one.tab));
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme === SCHEMES.diff) sides.delete(uri.toString());
    }),
  );
}

function sideUri(approval: Approval, path: string, side: 'before' | 'after'): vscode.Uri {
  const query = new URLSearchParams({ approval: approval.id, request: String(approval.request), side });
  return vscode.Uri.from({
    scheme: SCHEMES.diff,
    path: path.startsWith('/') ? path : `/${path}`,
    query: query.toString(),
  });
}

function openDiffs(): { tab: vscode.Tab; uri: vscode.Uri }[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap((tab) => {
      const { input } = tab;
      return input instanceof vscode.TabInputTextDiff && input.modified.scheme === SCHEMES.diff
        ? [{ tab, uri: input.modified }]
        : [];
    });
}
