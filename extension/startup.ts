import * as vscode from 'vscode';
import type { Belay } from './belay';
import { storeFolder } from './createHostClient';
import { PendingMarker } from './pendingMarker';
import type { Disposable } from './disposable';

/**
 * After a start of the window the host is started by itself only where something waits or was running: then badge,
 * status bar and notifications show it without a view being opened. Elsewhere it waits until somebody needs it.
 */
export function followStartup({ context, log, host, state, settings }: Belay): Disposable {
  const marker = new PendingMarker(storeFolder(context), (text) => log.warn(text));
  void marker.exists().then((waits) => {
    if (waits) host.start().catch(() => undefined);
  });
  let looked = false;
  const onStatus = host.onStatus((status) => {
    if (status.kind !== 'ready' || looked) return;
    looked = true;
    void settings.lookIntoWorkspace();
  });
  return vscode.Disposable.from(
    onStatus,
    state.onChange(({ snapshot }) => marker.follow(snapshot)),
  );
}
