import * as vscode from 'vscode';
import type { SessionFound, SessionId } from '../../protocol';
import { known, type Belay } from '../belay';
import { systemClock } from '../clock';
import { messageOf } from '../hostError';
import { sessionTitle } from '../views/needsModel';
import { sessionRows } from '../views/sessionsModel';
import { pickTexts } from '../views/line';

/** How long the typing may rest before it is searched for, ms. */
const REST_MS = 200;

interface Item extends vscode.QuickPickItem {
  readonly session: SessionId;
}

/** Find session…: by its title and by what was said in it, as it is typed. */
export async function findSession(belay: Belay): Promise<void> {
  const snapshot = await known(belay);
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t('Find a session');
  pick.placeholder = vscode.l10n.t('A word of its title, or of what was said');
  let asked = 0;
  let stopWaiting: (() => void) | undefined;

  /** `alwaysShow`: the words are in the session, not in its line. */
  const item = ({ session, excerpt }: SessionFound): Item => {
    const [row] = sessionRows(
      { ...snapshot, sessions: [{ ...session, archived: false }] },
      systemClock.now(),
    );
    return {
      ...pickTexts({
        label: row?.label ?? sessionTitle(snapshot, session.id),
        description: row?.description ?? '',
        ...(excerpt === undefined ? {} : { detail: excerpt }),
      }),
      iconPath: new vscode.ThemeIcon(row?.icon ?? 'comment'),
      alwaysShow: true,
      session: session.id,
    };
  };
  const search = async (text: string): Promise<void> => {
    const turn = ++asked;
    pick.busy = true;
    try {
      const { items } = await belay.host.request('session/search', { text });
      if (turn === asked) pick.items = items.map(item);
    } catch (error) {
      belay.log.warn(`The search failed: ${messageOf(error)}`);
    } finally {
      if (turn === asked) pick.busy = false;
    }
  };
  const recent = (): void => {
    asked += 1;
    pick.busy = false;
    pick.items = [...snapshot.sessions]
      .sort((a, b) => b.updatedAt - a.updatedAt)
      .map((session) => item({ session }));
  };

  recent();
  await new Promise<void>((resolve) => {
    pick.onDidChangeValue((value) => {
      stopWaiting?.();
      const text = value.trim().slice(0, 256);
      if (text === '') recent();
      else stopWaiting = systemClock.after(REST_MS, () => void search(text));
    });
    pick.onDidAccept(() => {
      const [chosen] = pick.activeItems;
      if (chosen !== undefined) void belay.chat.show(chosen.session);
      pick.hide();
    });
    pick.onDidHide(resolve);
    pick.show();
  });
  stopWaiting?.();
  pick.dispose();
}
