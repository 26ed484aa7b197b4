/** Notifications of turns that have ended while nobody looked, and the mark of their sessions. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../../protocol';
import type { Belay } from '../belay';
import type { Clock } from '../clock';
import { storeFolder } from '../createHostClient';
import { isRecord, messageOf } from '../hostError';
import { COMMANDS, VIEWS } from '../ids';
import { KeptFile } from '../keptFile';
import { said } from '../said';
import { isCutOff } from '../summary';
import { noticeLine, noticeText } from '../views/line';
import { sessionTitle } from '../views/needsModel';
import type { Disposable } from '../disposable';
import { EndAnnouncer, type EndsKept } from './endAnnouncer';

/** Who has waited less than this for an answer looks at it still, ms. */
const SHORT_MS = 10_000;

type Parts = Pick<Belay, 'host' | 'state' | 'chat' | 'settings' | 'log' | 'unseen'>;

export function announceEnds(belay: Belay, clock: Clock): Disposable {
  return followEnds(belay, clock, new KeptFile(join(storeFolder(belay.context), 'ends.json')));
}

/** `file` keeps what was seen. */
export function followEnds(belay: Parts, clock: Clock, file: KeptFile): Disposable {
  const owned: Disposable[] = [];
  void file.get().then((value) => {
    const ends = new EndAnnouncer(
      {
        clock,
        visible: (session) => vscode.window.state.focused && belay.chat.shows(session),
        announce: (sessions) => {
          if (belay.settings.notifiesEnds())
            tell(belay, sessions).catch((error: unknown) => belay.log.debug(messageOf(error)));
        },
        keep: (kept) => void file.set(kept),
      },
      keptOf(value),
    );
    owned.push(
      ends,
      ends.onChange(() => belay.unseen.set(ends.unseen)),
      belay.state.onChange(({ snapshot }) => ends.follow(snapshot)),
      belay.chat.onSeen(() => ends.look()),
      vscode.window.onDidChangeWindowState(() => ends.look()),
    );
    ends.follow(belay.state.current);
  });
  return { dispose: () => owned.forEach((one) => one.dispose()) };
}

function keptOf(value: unknown): EndsKept | undefined {
  if (!isRecord(value) || typeof value['until'] !== 'number' || !Array.isArray(value['unseen']))
    return undefined;
  return {
    until: value['until'],
    unseen: value['unseen'].filter((one: unknown) => typeof one === 'string'),
  };
}

/** An end with what is said of it. */
interface Told {
  readonly session: Session;
  readonly detail: string | undefined;
}

async function tell(belay: Parts, sessions: readonly Session[]): Promise<void> {
  // One that is gone by now, or cannot be read, costs the others nothing.
  const found = await Promise.all(
    sessions.map((session) =>
      longOne(belay, session).catch((error: unknown) => {
        belay.log.debug(messageOf(error));
        return undefined;
      }),
    ),
  );
  const ends = found.filter((one) => one !== undefined);
  const [first] = ends;
  if (first === undefined) return;
  if (ends.length > 1) return tellMany(ends);
  const show = vscode.l10n.t('Show');
  const goOn = vscode.l10n.t('Continue');
  const { session } = first;
  const choices = isCutOff(session) ? [goOn, show] : [show];
  const text = textOf(belay, first);
  const choice =
    session.ended?.status === 'completed'
      ? await vscode.window.showInformationMessage(noticeText(text), ...choices)
      : await vscode.window.showWarningMessage(noticeText(text), ...choices);
  const target = { subject: { session: session.id } };
  if (choice === show) await vscode.commands.executeCommand(COMMANDS.sessionOpen, target);
  else if (choice === goOn) await vscode.commands.executeCommand(COMMANDS.sessionContinue, target);
}

/** Several at once: how many, and how many of them badly. The rows of Sessions are marked. */
async function tellMany(ends: readonly Told[]): Promise<void> {
  const failed = ends.filter(({ session }) => session.ended?.status !== 'completed').length;
  const show = vscode.l10n.t('Show');
  const text =
    failed === 0
      ? vscode.l10n.t('{0} sessions are done.', ends.length)
      : vscode.l10n.t('{0} sessions have ended, {1} of them failed or were cut off.', ends.length, failed);
  if ((await vscode.window.showInformationMessage(text, show)) === show)
    await vscode.commands.executeCommand(`${VIEWS.sessions}.focus`);
}

/** The end of a turn that took its time, with its last line or its failure. */
async function longOne({ host }: Parts, session: Session): Promise<Told | undefined> {
  const { ended } = session;
  if (ended === undefined) return undefined;
  const { turn } = await host.request('turn/get', { turn: ended.turn });
  if (ended.at - turn.startedAt < SHORT_MS) return undefined;
  if (turn.detail !== undefined) return { session, detail: said(turn.detail) };
  const { items } = await host.request('transcript/read', { session: session.id, limit: 1 });
  const texts = items.flatMap(({ parts }) => parts).filter((part) => part.kind === 'text');
  return { session, detail: texts.at(-1)?.text.trim().split('\n').at(-1) };
}

function textOf({ state }: Parts, { session, detail }: Told): string {
  const title = state.current === undefined ? session.title : sessionTitle(state.current, session.id);
  const what = wordsOf(session, noticeLine(title));
  return detail === undefined || detail === '' ? what : `${what} ${noticeLine(detail)}`;
}

function wordsOf({ ended }: Session, title: string): string {
  switch (ended?.status) {
    case 'failed':
      return vscode.l10n.t('{0} has failed.', title);
    case 'interrupted':
      return vscode.l10n.t('{0} was cut off when the host ended.', title);
    default:
      return vscode.l10n.t('{0} is done.', title);
  }
}
