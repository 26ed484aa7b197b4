import * as vscode from 'vscode';
import type { Approval } from '../../protocol';
import { known, type Belay } from '../belay';
import { by, type By } from '../ids';
import { approvalOf } from '../subjects';
import { decide, isMeant, tellGone } from '../verdict';
import { askReason } from './askReason';
import { pickApproval } from './pickNeed';

/** Deny…: the person picks a request and may say why. Escape keeps the request. */
export async function deny(belay: Belay): Promise<void> {
  const choice = await pickApproval(belay, vscode.l10n.t('Deny which request?'), false);
  if (choice !== undefined) await denyWithReason(belay, choice.approval, by.palette);
}

/** Deny, on a row or by key on the row with the focus: at once and without a reason. */
export async function denyRow(belay: Belay, target: unknown): Promise<void> {
  const row = target ?? (await belay.needs.takeFocused());
  if (row === undefined || (row === target && !isMeant(row))) return;
  const approval = approvalOf(await known(belay), row);
  if (approval === undefined) {
    if (row === target) tellGone();
    return;
  }
  await decide(belay, approval, { decision: 'deny', by: by.tree });
}

/** Deny with a reason…, on a row. */
export async function denyRowWith(belay: Belay, target: unknown): Promise<void> {
  const approval = approvalOf(await known(belay), target);
  if (approval === undefined) {
    tellGone();
    return;
  }
  await denyWithReason(belay, approval, by.tree);
}

async function denyWithReason(belay: Belay, approval: Approval, who: By): Promise<void> {
  const reason = await askReason(approval.title);
  if (reason === undefined) return;
  await decide(belay, approval, { decision: 'deny', by: who, ...(reason === '' ? {} : { reason }) });
}
