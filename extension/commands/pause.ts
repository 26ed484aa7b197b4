import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { by, COMMANDS } from '../ids';

/** Pause: from the reply on nothing starts, in any session. */
export async function pause(belay: Belay): Promise<void> {
  const { ended, stopping } = await belay.host.request('host/pause', { by: by.palette });
  const titles = [...ended, ...stopping].map((one) => one.title);
  if (titles.length === 0) return;
  const resume = vscode.l10n.t('Resume');
  const text = vscode.l10n.t('Paused. This was ended: {0}', titles.join(', '));
  if ((await vscode.window.showInformationMessage(text, resume)) === resume) {
    await vscode.commands.executeCommand(COMMANDS.resume);
  }
}
