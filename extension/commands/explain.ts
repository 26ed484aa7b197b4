import * as vscode from 'vscode';
import type { ResultOf } from '../../protocol';
import { known, type Belay } from '../belay';
import { said } from '../said';
import { brief, line } from '../views/line';
import { sessionTitle } from '../views/needsModel';
import { targetSession } from './pickSession';

/** Parts that a dialog has room for. */
const PARTS_SHOWN = 12;

type Explained = ResultOf<'rule/explain'>['parts'][number];

const MARKS = { allow: '✓', ask: '?', deny: '✗' } as const;

/** Explain a command…: what would become of it in a session now, and which rule decides each of its parts. */
export async function explain(belay: Belay): Promise<void> {
  const session = await targetSession(belay, undefined, vscode.l10n.t('In which session?'), () => true);
  if (session === undefined) return;
  const title = sessionTitle(await known(belay), session.id);
  const command = await vscode.window.showInputBox({
    title: vscode.l10n.t('Explain a command'),
    prompt: vscode.l10n.t(
      'It is only judged, by the rules and the mode of "{0}", and never run.',
      brief(title),
    ),
    placeHolder: 'npm test',
  });
  if (command === undefined || command.trim() === '') return;
  const { decision, why, offers, parts } = await belay.host.request('rule/explain', {
    session: session.id,
    tool: 'shell',
    args: { command },
  });
  const words = {
    allow: vscode.l10n.t('It would run without asking.'),
    ask: vscode.l10n.t('It would wait for you.'),
    deny: vscode.l10n.t('It would be denied.'),
  };
  // One part alone is decided as its line is.
  const shown = parts.length < 2 ? [] : parts.slice(0, PARTS_SHOWN).flatMap((part) => ['', partLines(part)]);
  if (parts.length > PARTS_SHOWN) shown.push('', vscode.l10n.t('and {0} more', parts.length - PARTS_SHOWN));
  const isTold = parts.length > 1 && (decision === 'allow' || parts.some((part) => part.why === why));
  const offered =
    offers.length === 0
      ? []
      : ['', vscode.l10n.t('An allow could cover:'), ...[...new Set(offers)].map((one) => `• ${said(one)}`)];
  await vscode.window.showInformationMessage(command, {
    modal: true,
    detail: [words[decision], ...(isTold ? [] : [said(why)]), ...shown, ...offered].join('\n'),
  });
}

/** What becomes of one part, and below it why. */
function partLines({ command, decision, why }: Explained): string {
  const named = `\`${command}\``;
  const reason = said(why);
  const own = reason.startsWith(`${named}: `) ? reason.slice(named.length + 2) : reason;
  return `${line(`${MARKS[decision]} ${named}`)}\n${line(own.charAt(0).toUpperCase() + own.slice(1))}`;
}
