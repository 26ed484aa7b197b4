import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { sessionTitle } from '../views/needsModel';
import { targetSession } from './pickSession';
import { again } from '../verdict';
import { line } from '../views/line';

/** Steer…: read at once, without opening the chat. It cancels nothing and answers no request. */
export async function steer(belay: Belay): Promise<void> {
  await send(belay, 'steer', vscode.l10n.t('Steer which session?'));
}

/** Queue…: kept as the next turn. */
export async function queue(belay: Belay): Promise<void> {
  await send(belay, 'queue', vscode.l10n.t('Queue a message in which session?'));
}

async function send(belay: Belay, delivery: 'steer' | 'queue', title: string): Promise<void> {
  const session = await targetSession(belay, undefined, title, () => true);
  const snapshot = belay.state.current;
  if (session === undefined || snapshot === undefined) return;
  const text = await vscode.window.showInputBox({
    title: line(sessionTitle(snapshot, session.id)),
    prompt: promptFor(delivery, session.state === 'idle'),
    placeHolder: vscode.l10n.t('Tell it something…'),
    ignoreFocusOut: true,
  });
  if (text === undefined || text.trim() === '') return;
  const message = { session: session.id, text, delivery, clientId: randomUUID() };
  try {
    const sent = await again(() => belay.host.request('message/send', message));
    void vscode.window.setStatusBarMessage(told(sent.state), 5_000);
  } catch (error) {
    // What was written is not lost: it waits in the chat.
    await belay.chat.show(session.id, { type: 'draft', text });
    throw error;
  }
}

function promptFor(delivery: 'steer' | 'queue', idle: boolean): string {
  if (idle) return vscode.l10n.t('It rests: your message starts a turn.');
  return delivery === 'steer'
    ? vscode.l10n.t(
        'It reads this now. What it waits for goes on in the background; an open request stays open.',
      )
    : vscode.l10n.t('It reads this when the running turn has ended.');
}

function told(state: 'started' | 'steering' | 'queued'): string {
  switch (state) {
    case 'started':
      return vscode.l10n.t('$(check) A turn has started.');
    case 'steering':
      return vscode.l10n.t('$(check) It reads your message now.');
    case 'queued':
      return vscode.l10n.t('$(clock) Your message is queued.');
  }
}
