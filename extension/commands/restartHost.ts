import * as vscode from 'vscode';
import type { Belay } from '../belay';

/** Restart host: with work going on it asks first, because that work is ended. What waits is kept in any case. */
export async function restartHost(belay: Belay): Promise<void> {
  const busy = (belay.state.current?.sessions ?? []).filter(
    (one) => one.state === 'running' || one.state === 'paced',
  );
  const open = (belay.state.current?.handles ?? []).filter((one) => one.state === 'running');
  if (busy.length + open.length > 0) {
    const restart = vscode.l10n.t('Restart');
    const detail = vscode.l10n.t(
      '{0} running turns and {1} running handles are ended. What waits for you stays.',
      busy.length,
      open.length,
    );
    const title = vscode.l10n.t('Restart the agent host?');
    if ((await vscode.window.showWarningMessage(title, { modal: true, detail }, restart)) !== restart) return;
  }
  await belay.host.restart();
}
