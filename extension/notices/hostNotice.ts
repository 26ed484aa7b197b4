import * as vscode from 'vscode';
import type { Belay } from '../belay';
import type { Clock } from '../clock';
import type { HostStatus } from '../hostClient';
import type { Disposable } from '../disposable';
import { COMMANDS } from '../ids';
import { noticeText } from '../views/line';

/** After a reload the old host may hold the store until it has ended; a store that is free by then is no news, ms. */
const HANDOVER_MS = 8_000;

/** Tells the person when the host has crashed, cannot run, or can only read. */
export function followHostNotices(belay: Belay, clock: Clock): Disposable {
  let last: HostStatus['kind'] | undefined;
  let callOff = (): void => undefined;
  const onStatus = belay.host.onStatus((status) => {
    callOff();
    const changed = status.kind !== last;
    last = status.kind;
    if (status.kind === 'failed' && changed) void tellFailed(belay, status.why);
    else if (status.kind === 'restarting' && changed) void tellRestarting(belay, status.why);
    else if (status.kind === 'ready' && status.readOnly)
      callOff = clock.after(HANDOVER_MS, () => {
        if (belay.state.current?.host.readOnly === true) void tellReadOnly(belay);
      });
  });
  return {
    dispose: () => {
      callOff();
      onStatus.dispose();
    },
  };
}

async function tellFailed(belay: Belay, why: string): Promise<void> {
  const text = vscode.l10n.t('The agent host does not run: {0} What waits for you is kept.', sentence(why));
  await offerRestart(belay, vscode.window.showErrorMessage, text);
}

async function tellRestarting(belay: Belay, why: string): Promise<void> {
  const text = vscode.l10n.t('The agent host ended unexpectedly and is started again: {0}', sentence(why));
  await offerRestart(belay, vscode.window.showWarningMessage, text);
}

async function tellReadOnly(belay: Belay): Promise<void> {
  const text = vscode.l10n.t(
    'Another window works in this workspace with Belay. Here you can read; this window takes over by itself when that one is closed.',
  );
  const showLog = vscode.l10n.t('Show log');
  if ((await vscode.window.showWarningMessage(text, showLog)) === showLog) belay.log.show();
}

type Show = (text: string, ...items: string[]) => Thenable<string | undefined>;

async function offerRestart(belay: Belay, show: Show, text: string): Promise<void> {
  const showLog = vscode.l10n.t('Show log');
  const restart = vscode.l10n.t('Restart');
  const choice = await show(text, showLog, restart);
  if (choice === showLog) belay.log.show();
  // The notification may be hours old: with work going on it asks first.
  else if (choice === restart) await vscode.commands.executeCommand(COMMANDS.restartHost);
}

function sentence(why: string): string {
  const text = noticeText(why);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
