import * as vscode from 'vscode';
import type { Ended } from '../../protocol';
import type { Belay } from '../belay';
import { by, FROM_STATUS_BAR } from '../ids';
import { inWindows } from './windows';
import { line } from '../views/line';
import { said } from '../said';

/** Resume: first shows what the pause has ended and what will start now; only then lets go of the cord (P7). */
export async function resume(belay: Belay, from: unknown): Promise<void> {
  const { host, windows, ...own } = await belay.host.request('host/status', {});
  const pulled = windows.filter((one) => one.paused);
  if (!host.paused && pulled.length === 0) return;
  const ended = [...host.ended, ...inWindows(pulled, (one) => one.ended)];
  const starting = [...own.starting, ...inWindows(pulled, (one) => one.starting)];
  if (ended.length > 0 || starting.length > 0) {
    const go = vscode.l10n.t('Resume');
    const detail = [
      listed(vscode.l10n.t('Ended by the pause; it is not started again:'), ended),
      listed(vscode.l10n.t('Starts now:'), starting),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
    const title = vscode.l10n.t('Resume Belay?');
    if ((await vscode.window.showInformationMessage(title, { modal: true, detail }, go)) !== go) return;
  }
  const who = from === FROM_STATUS_BAR ? by.statusBar : by.palette;
  await belay.host.request('host/resume', { by: who });
}

/** A dialog cannot scroll: what does not fit is counted. */
const LISTED = 12;

function listed(heading: string, items: readonly Ended[]): string {
  if (items.length === 0) return '';
  const lines = items
    .slice(0, LISTED)
    .map((one) => `${one.turn === undefined ? '•' : '    –'} ${named(one)}`);
  const more = items.length - lines.length;
  return [heading, ...lines, ...(more > 0 ? [vscode.l10n.t('and {0} more', more)] : [])].join('\n');
}

function named({ kind, title, by: allower }: Ended): string {
  if (kind === 'turn') return vscode.l10n.t('The turn of "{0}" goes on', line(title));
  if (kind === 'message') return vscode.l10n.t('"{0}" reads what you have written', line(title));
  const what = line(titleOf({ kind, title }));
  return allower === undefined ? what : vscode.l10n.t('{0}, allowed by {1}', what, said(allower));
}

/** The host names a request to a model by itself; everything else has the title that it has everywhere. */
export const titleOf = ({ kind, title }: Pick<Ended, 'kind' | 'title'>): string =>
  kind === 'model' ? said(title) : title;
