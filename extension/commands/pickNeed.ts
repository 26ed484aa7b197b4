import * as vscode from 'vscode';
import type { Approval, Offer, Question } from '../../protocol';
import { withoutMarks } from '../../protocol/worded';
import { known, type Belay } from '../belay';
import { systemClock, type Clock } from '../clock';
import { COMMANDS } from '../ids';
import { needLine } from '../views/needsModel';
import { noticeLine, pickLine, pickTexts } from '../views/line';
import { isWholeInPick } from '../views/shownWhole';
import { SteadyPick } from './steadyPick';
import { said } from '../said';

/** How far an allow goes: this once, or as far as the rule of an offer. */
type Reach = { readonly scope: 'once' } | Pick<Offer, 'scope' | 'match'>;

export interface PickedApproval {
  readonly approval: Approval;
  readonly reach: Reach;
}

interface ApprovalItem extends vscode.QuickPickItem {
  readonly approval: Approval;
}

/**
 * Lets the person choose among the requests that wait for a verdict. With `allows`, a button of a request opens the
 * list of what an allow may cover; Enter is always this once. A request that its line does not show whole says so.
 */
export async function pickApproval(
  belay: Belay,
  title: string,
  allows: boolean,
  clock: Clock = systemClock,
): Promise<PickedApproval | undefined> {
  await known(belay);
  const picker = vscode.window.createQuickPick<ApprovalItem>();
  const more = {
    iconPath: new vscode.ThemeIcon('list-selection'),
    tooltip: vscode.l10n.t('Allow more than once…'),
  };
  const diff = { iconPath: new vscode.ThemeIcon('diff'), tooltip: vscode.l10n.t('Open diff') };
  // A request that is announced again is another one, though its id is the same (A4).
  const pick = new SteadyPick(picker, ({ approval }) => `${approval.id}/${approval.request}`, clock);
  const fill = (): void =>
    pick.fill(
      approvalItems(belay, allows, (approval) => [
        ...(approval.preview.kind === 'diff' ? [diff] : []),
        ...(allows && approval.offers.length > 0 && isWholeInPick(approval) ? [more] : []),
      ]),
    );
  picker.title = title;
  picker.placeholder = vscode.l10n.t('Nothing waits for your approval.');
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  fill();
  if (picker.items.length > 0) picker.placeholder = title;
  const following = belay.state.onChange(fill);
  let choosingScope = false;
  const choice = await new Promise<PickedApproval | undefined>((resolve) => {
    picker.onDidAccept(() => {
      if (!pick.settled) return;
      const [item] = picker.selectedItems;
      resolve(item === undefined ? undefined : { approval: item.approval, reach: { scope: 'once' } });
    });
    picker.onDidTriggerItemButton(({ item, button }) => {
      if (!pick.settled) return;
      if (button === diff)
        void vscode.commands.executeCommand(COMMANDS.openDiff, { approval: item.approval.id });
      else {
        choosingScope = true;
        void pickScope(item.approval).then((reach) => resolve(reach && { approval: item.approval, reach }));
      }
    });
    picker.onDidHide(() => {
      if (!choosingScope) resolve(undefined);
    });
    picker.show();
  });
  following.dispose();
  picker.dispose();
  return choice;
}

/** How far an allow goes, in the words that the rule will have. */
export async function pickScope(approval: Approval): Promise<Reach | undefined> {
  const once: vscode.QuickPickItem & { reach: Reach } = {
    label: vscode.l10n.t('Once'),
    description: pickLine(approval.title),
    reach: { scope: 'once' },
  };
  const wider = approval.offers.map(({ scope, match, label }) => ({
    label: scope === 'session' ? vscode.l10n.t('For this session') : vscode.l10n.t('In this workspace'),
    description: pickLine(said(label)),
    reach: { scope, match },
  }));
  const choice = await vscode.window.showQuickPick([once, ...wider], {
    title: vscode.l10n.t('Allow: {0}', noticeLine(approval.title)),
    matchOnDescription: true,
  });
  return choice?.reach;
}

export async function pickQuestion(belay: Belay): Promise<Question | undefined> {
  const snapshot = await known(belay);
  const now = systemClock.now();
  const items = snapshot.needs.flatMap((need) =>
    need.kind === 'question'
      ? [
          {
            ...pickTexts(needLine(snapshot, need, now)),
            iconPath: new vscode.ThemeIcon('question'),
            question: need.question,
          },
        ]
      : [],
  );
  const [only] = items;
  if (items.length === 1) return only?.question;
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Answer which question?') }))
    ?.question;
}

function approvalItems(
  belay: Belay,
  allows: boolean,
  buttons: (approval: Approval) => vscode.QuickInputButton[],
): readonly ApprovalItem[] {
  const snapshot = belay.state.current;
  if (snapshot === undefined) return [];
  const now = systemClock.now();
  return snapshot.needs.flatMap((need) =>
    need.kind === 'approval'
      ? [
          {
            ...pickTexts({ ...needLine(snapshot, need, now), detail: detailOf(need.approval, allows) }),
            iconPath: new vscode.ThemeIcon('bell-dot'),
            buttons: buttons(need.approval),
            approval: need.approval,
          },
        ]
      : [],
  );
}

/** Enough to decide in one line: where, how much, and why it asks; or where the rest of it is to be read. */
function detailOf(approval: Approval, allows: boolean): string {
  if (allows && !isWholeInPick(approval))
    return `${vscode.l10n.t('There is more than this line: Enter shows it in the chat.')} · ${approval.folder}`;
  const size =
    approval.preview.kind === 'diff' ? ` · +${approval.preview.added} −${approval.preview.removed}` : '';
  return `${approval.folder}${size} · ${withoutMarks(said(approval.why))}`;
}
