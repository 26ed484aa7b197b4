import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { by, COMMANDS } from '../ids';
import { noticeLines } from '../views/line';
import { titleOf } from './resume';
import { inWindows } from './windows';

/** Pause: from the reply on nothing starts, in any session of any window. */
export async function pause(belay: Belay): Promise<void> {
  const { paused, ended, stopping, windows } = await belay.host.request('host/pause', { by: by.palette });
  const titles = [...ended, ...stopping, ...inWindows(windows, (one) => [...one.ended, ...one.stopping])].map(
    titleOf,
  );
  const silent = windows.filter((one) => !one.answered).length;
  if (!paused)
    void vscode.window.showErrorMessage(
      vscode.l10n.t(
        'Not paused yet: the window that does the work has not answered. It pauses as soon as it does, and may go on until then.',
      ),
    );
  else if (silent > 0)
    void vscode.window.showWarningMessage(
      silent === 1
        ? vscode.l10n.t('1 other window has not answered: it pauses as soon as it does.')
        : vscode.l10n.t('{0} other windows have not answered: they pause as soon as they do.', silent),
    );
  if (titles.length === 0) return;
  const resume = vscode.l10n.t('Resume');
  const text = vscode.l10n.t('Paused. This was ended: {0}', noticeLines(titles));
  if ((await vscode.window.showInformationMessage(text, resume)) === resume) {
    await vscode.commands.executeCommand(COMMANDS.resume);
  }
}
