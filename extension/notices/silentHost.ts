/** Tells a person that the host does not answer what they have asked, with a way to end it. */
import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { storeFolder } from '../createHostClient';
import { guarded } from '../commands/guarded';
import { isRecord } from '../hostError';
import { PullMarker } from '../pullMarker';
import type { Disposable } from '../disposable';

type Parts = Pick<Belay, 'host' | 'log'>;

/** `dir` is the folder of the workspace's store. */
export function followSilence(belay: Belay): Disposable {
  return followSilenceIn(belay, storeFolder(belay.context));
}

export function followSilenceIn(belay: Parts, dir: string): Disposable {
  const { watchdog } = belay.host;
  const marker = new PullMarker(dir, (text) => belay.log.warn(text));
  /** One is shown at a time: several clicks on a host that hangs are one trouble. */
  let shown = false;
  const tell = async (paused: boolean): Promise<void> => {
    if (shown) return;
    shown = true;
    try {
      await offerEnd(belay, paused);
    } finally {
      shown = false;
    }
  };
  return vscode.Disposable.from(
    watchdog.onSilent((method) => {
      belay.log.error(`The agent host does not answer ${method}.`);
      const isPull = method === 'host/pause';
      const kept = isPull ? marker.put() : Promise.resolve();
      void kept.then(() => tell(isPull));
    }),
    watchdog.onReply(({ method, result }) => {
      if (method === 'host/pause' && isRecord(result) && result['paused'] === true) void marker.remove();
    }),
  );
}

async function offerEnd(belay: Parts, paused: boolean): Promise<void> {
  const { host, log } = belay;
  const end = vscode.l10n.t('End the host');
  const showLog = vscode.l10n.t('Show log');
  const text = paused
    ? vscode.l10n.t(
        'The agent host does not answer, so nothing is paused yet. End it, and all that it has started ends with it; it starts again paused, and what waits for you is kept.',
      )
    : vscode.l10n.t(
        'The agent host does not answer. End it, and all that it has started ends with it; it starts again, and what waits for you is kept.',
      );
  const choice = await vscode.window.showErrorMessage(text, end, showLog);
  if (choice === showLog) log.show();
  if (choice !== end) return;
  // The notification may be old by now.
  if (host.watchdog.isSilent) await guarded(belay, () => host.end());
  else void vscode.window.showInformationMessage(vscode.l10n.t('The agent host has answered meanwhile.'));
}
