import * as vscode from 'vscode';
import type { Snapshot } from '../../protocol';
import type { Belay } from '../belay';
import { isLive } from '../summary';
import { sessionTitle } from '../views/needsModel';

/** Restart host: with work going on it asks first, because that work is ended. What waits is kept in any case. */
export async function restartHost(belay: Belay): Promise<void> {
  const ends = belay.state.current === undefined ? [] : endedByRestart(belay.state.current);
  if (ends.length > 0) {
    const restart = vscode.l10n.t('Restart');
    const detail = [
      vscode.l10n.t('This is at work and would be ended; what waits for you stays:'),
      ...ends.slice(0, 12).map((title) => `• ${title}`),
    ].join('\n');
    const title = vscode.l10n.t('Restart the agent host?');
    if ((await vscode.window.showWarningMessage(title, { modal: true, detail }, restart)) !== restart) return;
  }
  await belay.host.restart();
}

/**
 * A turn that waits itself is none of them, for a moment or for days: it goes on waiting. One may run on beside a
 * request that was lifted, and a script that runs is ended with the request of its step.
 */
function endedByRestart(snapshot: Snapshot): readonly string[] {
  const asks = snapshot.needs.map((need) => (need.kind === 'approval' ? need.approval : need.question));
  const waits = new Set(
    asks.filter((one) => one.handle === undefined && one.parent === undefined).map((one) => one.session),
  );
  const turns = snapshot.sessions.filter((one) => isLive(one) && !waits.has(one.id));
  const handles = snapshot.handles.filter((one) => one.state === 'running');
  return [...turns.map((one) => sessionTitle(snapshot, one.id)), ...handles.map((one) => one.title)];
}
