/**
 * Notifications of new requests. VS Code lets nobody take one back, so one may outlast its request behind the bell: what
 * a person clicks on it then tells the request's fate.
 */
import * as vscode from 'vscode';
import { meetsUnsaved } from '../../protocol/unsavedFiles';
import type { Approval, Need, Question, Snapshot } from '../../protocol';
import type { Belay } from '../belay';
import { systemClock, type Clock } from '../clock';
import { answer } from '../commands/answer';
import { by, COMMANDS } from '../ids';
import { decide } from '../verdict';
import { noticeLine, noticeText } from '../views/line';
import { needOf, sessionTitle, unsavedText } from '../views/needsModel';
import { isShownWhole } from '../views/shownWhole';
import { Announcer } from './announcer';
import type { Disposable } from '../disposable';

export function announceRequests(belay: Belay, clock: Clock = systemClock): Disposable {
  const announcer = new Announcer({
    clock,
    wanted: () => belay.settings.notifies(),
    visible: (need) => vscode.window.state.focused && (belay.needs.visible || belay.chat.hasDrawn(need)),
    awaited: (need) => vscode.window.state.focused && belay.chat.shows(needOf(need).session),
    announce: (needs) => void announce(belay, needs),
  });
  announcer.follow(belay.state.current?.needs ?? []);
  return vscode.Disposable.from(
    announcer,
    belay.state.onChange(({ snapshot }) => announcer.follow(snapshot?.needs ?? [])),
  );
}

async function announce(belay: Belay, needs: readonly Need[]): Promise<void> {
  const snapshot = belay.state.current;
  const [first] = needs;
  if (snapshot === undefined || first === undefined) return;
  if (needs.length > 1) return announceMany(snapshot.needs.length);
  if (first.kind === 'approval') return announceApproval(belay, snapshot, first.approval);
  return announceQuestion(belay, snapshot, first.question);
}

async function announceApproval(belay: Belay, snapshot: Snapshot, approval: Approval): Promise<void> {
  const allow = vscode.l10n.t('Allow');
  const deny = vscode.l10n.t('Deny');
  const show = vscode.l10n.t('Show');
  const wished = wish(noticeLine(sessionTitle(snapshot, approval.session)), approval);
  const text = meetsUnsaved(approval, snapshot.host) ? `${wished} · ${noticeText(unsavedText())}` : wished;
  const canAllow = vscode.workspace.isTrusted && isShownWhole(approval, noticeLine);
  const choices = canAllow ? [allow, deny, show] : [deny, show];
  const choice = await vscode.window.showInformationMessage(text, ...choices);
  if (choice === allow)
    await decide(belay, approval, { decision: 'allow', scope: 'once', by: by.notification });
  else if (choice === deny) await decide(belay, approval, { decision: 'deny', by: by.notification });
  else if (choice === show)
    await vscode.commands.executeCommand(COMMANDS.nextRequest, { approval: approval.id });
}

async function announceQuestion(belay: Belay, snapshot: Snapshot, question: Question): Promise<void> {
  const reply = vscode.l10n.t('Answer…');
  const show = vscode.l10n.t('Show');
  const text = vscode.l10n.t(
    '{0} asks: {1}',
    noticeLine(sessionTitle(snapshot, question.session)),
    noticeLine(question.title),
  );
  const choice = await vscode.window.showInformationMessage(text, reply, show);
  if (choice === reply) await answer(belay, question, by.notification);
  else if (choice === show)
    await vscode.commands.executeCommand(COMMANDS.nextRequest, { question: question.id });
}

/** Several at once: how many wait by now, those included that were announced before. */
async function announceMany(count: number): Promise<void> {
  const show = vscode.l10n.t('Show');
  const choice = await vscode.window.showInformationMessage(vscode.l10n.t('{0} requests wait', count), show);
  if (choice === show) await vscode.commands.executeCommand(COMMANDS.nextRequest);
}

/** Who wants what, by what it would do. */
function wish(session: string, { preview, title }: Approval): string {
  switch (preview.kind) {
    case 'command':
      return vscode.l10n.t('{0} wants to run: {1}', session, noticeLine(title));
    case 'diff':
      return vscode.l10n.t(
        '{0} wants to change a file: {1}',
        session,
        `${noticeLine(title)} +${preview.added} −${preview.removed}`,
      );
    case 'text':
      return vscode.l10n.t('{0} asks: {1}', session, noticeLine(title));
    case 'arguments':
      return vscode.l10n.t('{0} wants to call: {1}', session, noticeLine(title));
  }
}
