/** What can be done with a session: the one of a row, the one in the chat, or one that is picked. */
import * as vscode from 'vscode';
import type { Session } from '../../protocol';
import { known, type Belay } from '../belay';
import { said } from '../said';
import { sessionOf } from '../subjects';
import { sessionTitle } from '../views/needsModel';
import { targetSession } from './pickSession';
import { piecesOf, saveText } from './saveText';
import { line, noticeText } from '../views/line';

export async function openSession(belay: Belay, target: unknown): Promise<void> {
  await belay.chat.show(sessionOf(await known(belay), target)?.id);
}

export async function renameSession(belay: Belay, target: unknown): Promise<void> {
  const session = await meant(belay, target, vscode.l10n.t('Rename which session?'));
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

export async function archiveSession(belay: Belay, target: unknown, all: unknown): Promise<void> {
  await setArchived(belay, target, all, true, vscode.l10n.t('Archive which session?'));
}

export async function restoreSession(belay: Belay, target: unknown, all: unknown): Promise<void> {
  await setArchived(belay, target, all, false, '');
}

/** Deleting cannot be undone, so it is asked for once more. */
export async function deleteSession(belay: Belay, target: unknown, all: unknown): Promise<void> {
  const sessions = await sessionsOf(belay, target, all, vscode.l10n.t('Delete which session?'));
  const snapshot = await known(belay);
  const [first] = sessions;
  if (first === undefined) return;
  const remove = vscode.l10n.t('Delete');
  const choice = await vscode.window.showWarningMessage(
    sessions.length === 1
      ? vscode.l10n.t('Delete the session "{0}"?', line(sessionTitle(snapshot, first.id)))
      : vscode.l10n.t('Delete {0} sessions?', sessions.length),
    {
      modal: true,
      detail:
        sessions.length === 1
          ? vscode.l10n.t('Its transcript is deleted. Files that it has changed stay as they are.')
          : [
              vscode.l10n.t('Their transcripts are deleted. Files that they have changed stay as they are.'),
              ...sessions.slice(0, NAMED_MOST).map(({ id }) => `• ${line(sessionTitle(snapshot, id))}`),
            ].join('\n'),
    },
    remove,
  );
  if (choice !== remove) return;
  for (const { id } of sessions) await belay.host.request('session/delete', { session: id });
}

/** Sessions that a question names, so that it stays on the screen. */
const NAMED_MOST = 12;

/** The rows that are selected, when the one that was clicked is among them; else that one alone. */
async function sessionsOf(
  belay: Belay,
  target: unknown,
  all: unknown,
  title: string,
): Promise<readonly Session[]> {
  if (!Array.isArray(all) || !all.includes(target)) {
    const session = await meant(belay, target, title);
    return session === undefined ? [] : [session];
  }
  const snapshot = await known(belay);
  const rows: readonly unknown[] = all;
  return rows.flatMap((row) => sessionOf(snapshot, row) ?? []);
}

const meant = (belay: Belay, target: unknown, title: string): Promise<Session | undefined> =>
  targetSession(belay, target, title, () => true);

/** Another session with the same past. Handles and requests stay with the first one. */
export async function forkSession(belay: Belay, target: unknown): Promise<void> {
  const session = await meant(belay, target, vscode.l10n.t('Fork which session?'));
  if (session === undefined) return;
  const fork = await belay.host.request('session/fork', { session: session.id });
  await belay.chat.show(fork.session.id);
  tellLeftOut(fork.warnings);
}

/** What a copy lacks is said once, beside the copy. */
function tellLeftOut(warnings: readonly string[]): void {
  if (warnings.length > 0)
    void vscode.window.showInformationMessage(noticeText(warnings.map(said).join(' ')));
}

/** The whole conversation as a document, to read or for other programs. */
export async function exportSession(belay: Belay, target: unknown): Promise<void> {
  const session = await meant(belay, target, vscode.l10n.t('Export which session?'));
  if (session === undefined) return;
  const snapshot = await known(belay);
  const format = await vscode.window.showQuickPick(
    [
      { label: 'Markdown', detail: vscode.l10n.t('To read'), format: 'markdown', ending: 'md' } as const,
      { label: 'JSON', detail: vscode.l10n.t('For other programs'), format: 'json', ending: 'json' } as const,
    ],
    { title: vscode.l10n.t('Export the session as…') },
  );
  if (format === undefined) return;
  const pieces = piecesOf((cursor) =>
    belay.host.request('session/export', {
      session: session.id,
      format: format.format,
      pieces: true,
      ...(cursor === undefined ? {} : { cursor }),
    }),
  );
  const name = sessionTitle(snapshot, session.id)
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60);
  const kinds = { [format.label]: [format.ending] };
  await saveText(pieces, vscode.l10n.t('Export the session'), `${name}.${format.ending}`, kinds);
}

/** A session that was exported as JSON, as a new one in this workspace. */
export async function importSession(belay: Belay): Promise<void> {
  const folder = belay.settings.folders()[0]?.path;
  if (folder === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('Open a folder first: a session works in one.'));
    return;
  }
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import a session'),
      openLabel: vscode.l10n.t('Import'),
      filters: { JSON: ['json'] },
    })) ?? [];
  if (file === undefined) return;
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  await belay.host.start();
  const { session, warnings } = await belay.host.request('session/import', { text, folder });
  await belay.chat.show(session.id);
  tellLeftOut(warnings);
}

async function setArchived(
  belay: Belay,
  target: unknown,
  all: unknown,
  archived: boolean,
  title: string,
): Promise<void> {
  const sessions = await sessionsOf(belay, target, all, title);
  for (const { id } of sessions.filter((one) => one.archived !== archived))
    await belay.host.request('session/update', { session: id, archived });
}
