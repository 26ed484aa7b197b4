import * as vscode from 'vscode';
import type { Server, ServerState, Snapshot } from '../../protocol';
import { known, type Belay } from '../belay';
import { by, type By } from '../ids';
import { serverOf } from '../subjects';
import { serverWords } from '../views/serversModel';
import { line, pickTexts } from '../views/line';

/** Start a server, on a row or from the palette. */
export const startServer = (belay: Belay, target: unknown): Promise<void> =>
  act(belay, target, 'server/start', ['idle', 'stopped', 'failed', 'backing_off']);

export const restartServer = (belay: Belay, target: unknown): Promise<void> =>
  act(belay, target, 'server/restart', ['ready', 'starting', 'backing_off', 'failed', 'stopped', 'idle']);

export const stopServer = (belay: Belay, target: unknown): Promise<void> =>
  act(belay, target, 'server/stop', ['ready', 'starting', 'backing_off', 'idle']);

async function act(
  belay: Belay,
  target: unknown,
  method: 'server/start' | 'server/restart' | 'server/stop',
  states: readonly ServerState[],
): Promise<void> {
  const server = await chosen(belay, target, states);
  if (server !== undefined) await belay.host.request(method, { server: server.id, by: whoOf(target) });
}

/** Shows what a server of the workspace would run, and lets it start once the person has allowed exactly that. */
export async function consentToServer(belay: Belay, target: unknown): Promise<void> {
  const server = await chosen(belay, target, ['needs_consent']);
  if (server !== undefined) await askConsent(belay, server, whoOf(target));
}

export async function askConsent(belay: Belay, server: Server, who: By): Promise<void> {
  const { consent } = server;
  if (consent === undefined) return;
  const allow = vscode.l10n.t('Allow');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Let the MCP server "{0}" of this workspace start?', line(server.name)),
    {
      modal: true,
      detail: `${consent.text}\n\n${vscode.l10n.t('You are asked again when this configuration changes. Calls of its tools still ask, unless the mode or a rule allows them.')}`,
    },
    allow,
  );
  if (choice !== allow) return;
  await belay.host.request('server/consent', {
    server: server.id,
    hash: consent.hash,
    allow: true,
    by: who,
  });
  if (belay.state.current?.host.paused !== true)
    await belay.host.request('server/start', { server: server.id, by: who });
}

/** What the server has said on its error output, and what was noted of it. */
export async function showServerLog(belay: Belay, target: unknown): Promise<void> {
  const server = await chosen(belay, target, undefined);
  if (server === undefined) return;
  const { text } = await belay.host.request('server/log', { server: server.id });
  const document = await vscode.workspace.openTextDocument({
    language: 'log',
    content: text === '' ? vscode.l10n.t('This server has said nothing.') : text,
  });
  await vscode.window.showTextDocument(document, { preview: true });
}

export const whoOf = (target: unknown): By => (target === undefined ? by.palette : by.tree);

const chosen = (
  belay: Belay,
  target: unknown,
  states: readonly ServerState[] | undefined,
): Promise<Server | undefined> =>
  chooseServer(belay, target, (server) => states === undefined || states.includes(server.state));

/** The server of a row, or one that the person picks among those that fit. */
export async function chooseServer(
  belay: Belay,
  target: unknown,
  fits: (server: Server) => boolean,
): Promise<Server | undefined> {
  const snapshot = await known(belay);
  return target === undefined ? pick(snapshot, fits) : serverOf(snapshot, target);
}

async function pick(snapshot: Snapshot, fits: (server: Server) => boolean): Promise<Server | undefined> {
  const items = snapshot.servers.filter(fits).map((server) => ({
    ...pickTexts({ label: server.name, description: serverWords(server), detail: server.target }),
    server,
  }));
  const choice = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Which MCP server?'),
    placeHolder: items.length === 0 ? vscode.l10n.t('No server is in a state for this.') : '',
  });
  return choice?.server;
}
