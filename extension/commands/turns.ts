import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { by } from '../ids';
import { isCutOff } from '../summary';
import { targetSession } from './pickSession';

/** Stop turn: of the session on a row, in the chat, or picked. What it was doing is ended and told truthfully. */
export async function stopTurn(belay: Belay, target: unknown): Promise<void> {
  const title = vscode.l10n.t('Stop the turn of which session?');
  const session = await targetSession(belay, target, title, (one) => one.turn !== undefined);
  if (session?.turn === undefined) return;
  const who = target === undefined ? by.palette : by.tree;
  await belay.host.request('turn/interrupt', { session: session.id, turn: session.turn, by: who });
}

/** Continue: a new turn, which is told what is known, what is unknown and what was not done (T10). */
export async function continueTurn(belay: Belay, target: unknown): Promise<void> {
  const session = await targetSession(belay, target, vscode.l10n.t('Continue which session?'), isCutOff);
  if (session === undefined) return;
  const who = target === undefined ? by.palette : by.tree;
  await belay.host.request('turn/continue', { session: session.id, by: who });
}

/** Summarise: the older part of a conversation becomes short for its model, before the next request (T7). */
export async function summarise(belay: Belay): Promise<void> {
  const title = vscode.l10n.t('Summarise the conversation of which session?');
  const session = await targetSession(belay, undefined, title, ({ agent }) => agent.kind === 'model');
  if (session === undefined) return;
  await belay.host.request('session/compact', { session: session.id, by: by.palette });
  const text = vscode.l10n.t('The conversation is summarised before the next request.');
  void vscode.window.setStatusBarMessage(text, 5_000);
}
