import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { messageOf } from '../hostError';
import { noticeText } from '../views/line';

/** What fails says why, in the words of the host, and shows the way to the log. */
export async function guarded(belay: Pick<Belay, 'log'>, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    belay.log.error(error instanceof Error ? error : String(error));
    const showLog = vscode.l10n.t('Show log');
    void vscode.window.showErrorMessage(noticeText(messageOf(error)), showLog).then((choice) => {
      if (choice === showLog) belay.log.show();
    });
    return undefined;
  }
}
