import * as vscode from 'vscode';
import type { Approval } from '../../protocol';
import { known, type Belay } from '../belay';
import { by } from '../ids';
import { approvalOf } from '../subjects';
import { decide, isMeant, tellGone } from '../verdict';
import { isWholeInPick, isWholeInRow } from '../views/shownWhole';
import { Node } from '../views/treeList';
import { pickApproval, pickScope } from './pickNeed';
import { showNeed } from './showNeed';

/**
 * Approve…: the person picks a request and allows it, this once or with one of the rules that it offers. One that
 * its line does not show whole is shown in the chat instead.
 */
export async function approve(belay: Belay): Promise<void> {
  const choice = await pickApproval(belay, vscode.l10n.t('Allow which request?'), true);
  if (choice === undefined) return;
  if (!isWholeInPick(choice.approval)) return showNeed(belay, { approval: choice.approval.id });
  await decide(belay, choice.approval, { decision: 'allow', ...choice.reach, by: by.palette });
}

/** Allow, on a row or by key on the row with the focus: this once. */
export async function allowRow(belay: Belay, target: unknown): Promise<void> {
  const row = target ?? (await belay.needs.takeFocused());
  if (row === undefined || (row === target && !isMeant(row))) return;
  const approval = approvalOf(await known(belay), row);
  if (approval === undefined) {
    if (row === target) tellGone();
    return;
  }
  // A row shows one line; the title of a diff editor stands over the whole change.
  if (row instanceof Node && !tellsAll(row, approval)) return showNeed(belay, { approval: approval.id });
  await decide(belay, approval, { decision: 'allow', scope: 'once', by: by.tree });
}

/** The row of a handle may say something else, and a row that is drawn anew in this moment may be another's. */
const tellsAll = ({ row }: Node, approval: Approval): boolean =>
  row.label === approval.title && isWholeInRow(approval);

/** Allow for…, on a row: the person chooses how far the allow goes. */
export async function allowRowFor(belay: Belay, target: unknown): Promise<void> {
  const approval = approvalOf(await known(belay), target);
  if (approval === undefined) {
    tellGone();
    return;
  }
  if (!isWholeInRow(approval)) return showNeed(belay, { approval: approval.id });
  const reach = await pickScope(approval);
  if (reach !== undefined) await decide(belay, approval, { decision: 'allow', ...reach, by: by.tree });
}
