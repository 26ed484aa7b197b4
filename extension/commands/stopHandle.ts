import * as vscode from 'vscode';
import type { Handle, Snapshot } from '../../protocol';
import { known, type Belay } from '../belay';
import { by } from '../ids';
import { approvalOf, handleOf, questionOf } from '../subjects';
import { handleWords } from '../views/handlesModel';
import { noticeLine, pickLine } from '../views/line';

/** Stop handle…, Stop on a row, and Withdraw on a request that was moved to the background. */
export async function stopHandle(belay: Belay, target: unknown): Promise<void> {
  const handle =
    target === undefined ? await pickHandle(belay, true) : targetHandle(await known(belay), target);
  if (handle === undefined) return;
  const who = target === undefined ? by.palette : by.tree;
  const end = await belay.host.request('handle/stop', { handle: handle.id, by: who });
  const survivors = end.survivors ?? [];
  if (survivors.length > 0) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        '{0} was stopped, but these of its processes survive: {1}',
        noticeLine(handle.title),
        noticeLine(survivors.join(', ')),
      ),
    );
  } else if (!end.stopped && handleOf(await known(belay), { handle: handle.id })?.state !== 'ended') {
    const text = vscode.l10n.t('{0} still runs. Pause everything to end it.', noticeLine(handle.title));
    void vscode.window.showWarningMessage(text);
  }
}

/** Open handles first; with `openOnly` no others. */
export async function pickHandle(belay: Belay, openOnly: boolean): Promise<Handle | undefined> {
  const snapshot = await known(belay);
  const handles = snapshot.handles.filter((handle) => !openOnly || handle.state !== 'ended');
  const items = [...handles]
    .sort((a, b) => Number(a.state === 'ended') - Number(b.state === 'ended') || b.startedAt - a.startedAt)
    .map((handle) => ({
      label: pickLine(handle.title),
      description: `${handle.id} · ${handleWords(handle)}`,
      handle,
    }));
  const choice = await vscode.window.showQuickPick(items, {
    title: openOnly ? vscode.l10n.t('Stop which handle?') : vscode.l10n.t('Whose output?'),
    placeHolder: items.length === 0 ? vscode.l10n.t('There is no handle.') : '',
    matchOnDescription: true,
  });
  return choice?.handle;
}

function targetHandle(snapshot: Snapshot, target: unknown): Handle | undefined {
  const need = approvalOf(snapshot, target) ?? questionOf(snapshot, target);
  return handleOf(snapshot, need?.handle === undefined ? target : { handle: need.handle });
}
