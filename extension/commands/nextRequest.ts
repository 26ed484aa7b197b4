import * as vscode from 'vscode';
import { known, type Belay } from '../belay';
import { isRecord } from '../hostError';
import { VIEWS } from '../ids';
import { approvalOf, questionOf } from '../subjects';

/** Where the last call left the person, so that the next one goes on from there. */
let last: string | undefined;

/** Next request: puts the focus on the next row of Needs you, from where its keys answer it. */
export async function nextRequest(belay: Belay, target: unknown): Promise<void> {
  const { needs } = await known(belay);
  const asked = isRow(target) ? undefined : target;
  const wanted = approvalOf(belay.state.current, asked) ?? questionOf(belay.state.current, asked);
  if (needs.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Nothing waits for you.'));
    return;
  }
  await vscode.commands.executeCommand(`${VIEWS.needs}.focus`);
  last = await belay.needs.reveal(wanted?.id, last);
}

/** A button in the title of a view is handed the row that has the focus: the one to go on from, not the one to go to. */
function isRow(target: unknown): boolean {
  return isRecord(target) && 'row' in target;
}
