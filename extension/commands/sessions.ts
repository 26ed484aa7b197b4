/** What can be done with a session on its row. */
import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { sessionOf } from '../subjects';
import { sessionTitle } from '../views/needsModel';

export async function openSession(belay: Belay, target: unknown): Promise<void> {
  await belay.chat.show(sessionOf(belay.state.current, target)?.id);
}

export async function renameSession(belay: Belay, target: unknown): Promise<void> {
  const snapshot = belay.state.current;
  const session = sessionOf(snapshot, target);
  if (session === undefined) return;
  const title = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename session'),
    value: session.title,
    validateInput: (text) => {
      if (text.trim() === '') return vscode.l10n.t('A name is needed.');
      return text.length > 256 ? vscode.l10n.t('At most 256 characters.') : undefined;
    },
  });
  if (title !== undefined)
    await belay.host.request('session/update', { session: session.id, title: title.trim() });
}

export async function archiveSession(belay: Belay, target: unknown): Promise<void> {
  await setArchived(belay, target, true);
}

export async function restoreSession(belay: Belay, target: unknown): Promise<void> {
  await setArchived(belay, target, false);
}

/** Deleting cannot be undone, so it is asked for once more. */
export async function deleteSession(belay: Belay, target: unknown): Promise<void> {
  const snapshot = belay.state.current;
  const session = sessionOf(snapshot, target);
  if (snapshot === undefined || session === undefined) return;
  const remove = vscode.l10n.t('Delete');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the session "{0}"?', sessionTitle(snapshot, session.id)),
    {
      modal: true,
      detail: vscode.l10n.t('Its transcript is deleted. Files that it has changed stay as they are.'),
    },
    remove,
  );
  if (choice === remove) await belay.host.request('session/delete', { session: session.id });
}

async function setArchived(belay: Belay, target: unknown, archived: boolean): Promise<void> {
  const session = sessionOf(belay.state.current, target);
  if (session !== undefined) await belay.host.request('session/update', { session: session.id, archived });
}
