import * as vscode from 'vscode';
import { known, type Belay } from '../belay';
import { by } from '../ids';
import { approvalOf } from '../subjects';
import { decide, isMeant, tellGone } from '../verdict';
import { pickApproval, pickScope } from './pickNeed';

/** Approve…: the person picks a request and allows it, this once or with one of the rules that it offers. */
export async function approve(belay: Belay): Promise<void> {
  const choice = await pickApproval(belay, vscode.l10n.t('Allow which request?'), true);
  if (choice === undefined) return;
  await decide(belay, choice.approval, { decision: 'allow', scope: choice.scope, by: by.palette });
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
  await decide(belay, approval, { decision: 'allow', scope: 'once', by: by.tree });
}

/** Allow for…, on a row: the person chooses how far the allow goes. */
export async function allowRowFor(belay: Belay, target: unknown): Promise<void> {
  const approval = approvalOf(await known(belay), target);
  if (approval === undefined) {
    tellGone();
    return;
  }
  const scope = await pickScope(approval);
  if (scope !== undefined) await decide(belay, approval, { decision: 'allow', scope, by: by.tree });
}
