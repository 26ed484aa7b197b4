import * as vscode from 'vscode';
import type { Session, Snapshot } from '../../protocol';
import { known, type Belay } from '../belay';
import { sessionOf } from '../subjects';
import { sessionRows } from '../views/sessionsModel';
import { systemClock } from '../clock';
import { pickTexts } from '../views/line';

/**
 * The session that a command is meant for: the one of the row; else the one in the chat, if it fits; else the only
 * one that fits; else the person picks.
 */
export async function targetSession(
  belay: Belay,
  target: unknown,
  title: string,
  fits: (session: Session) => boolean,
): Promise<Session | undefined> {
  const snapshot = await known(belay);
  if (target !== undefined) return sessionOf(snapshot, target);
  const fitting = snapshot.sessions.filter((session) => !session.archived && fits(session));
  const inChat = fitting.find((session) => belay.chat.shows(session.id));
  if (inChat !== undefined) return inChat;
  return fitting.length === 1 ? fitting[0] : pickSession(snapshot, fitting, title);
}

async function pickSession(
  snapshot: Snapshot,
  sessions: readonly Session[],
  title: string,
): Promise<Session | undefined> {
  const rows = sessionRows({ ...snapshot, sessions: [...sessions] }, systemClock.now());
  const items = rows.flatMap((row) => {
    const session = sessionOf(snapshot, row.subject);
    const iconPath = new vscode.ThemeIcon(row.icon);
    return session === undefined
      ? []
      : [{ ...pickTexts({ label: row.label, description: row.description }), iconPath, session }];
  });
  const placeHolder = items.length === 0 ? vscode.l10n.t('No session fits.') : '';
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true }))
    ?.session;
}
