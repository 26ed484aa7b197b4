/**
 * Tells the person of servers that wait for them (consent, a sign-in, values), and of those that have failed; each once. It also lets the
 * host look at `.vscode/mcp.json` when that changes, so that the lists are right without a session.
 */
import * as vscode from 'vscode';
import type { Server } from '../../protocol';
import type { Belay } from '../belay';
import { askInputs } from '../commands/serverInputs';
import { askConsent } from '../commands/servers';
import { signIn } from '../commands/signIn';
import type { Disposable } from '../disposable';
import { messageOf } from '../hostError';
import { by, COMMANDS } from '../ids';
import { noticeLine } from '../views/line';
import { said } from '../said';

export function followServers(belay: Belay): Disposable {
  const told = new Set<string>();
  const follow = (servers: readonly Server[]): void => {
    for (const server of servers) {
      const news = newsOf(server);
      if (news === undefined || told.has(news)) continue;
      told.add(news);
      void tell(belay, server).then(undefined, (error: unknown) => belay.log.warn(messageOf(error)));
    }
  };
  const look = (): void => {
    if (belay.host.status.kind === 'ready')
      belay.host.request('server/list', {}).then(undefined, () => undefined);
  };
  const watcher = vscode.workspace.createFileSystemWatcher('**/.vscode/mcp.json');
  follow(belay.state.current?.servers ?? []);
  return vscode.Disposable.from(
    watcher,
    watcher.onDidChange(look),
    watcher.onDidCreate(look),
    watcher.onDidDelete(look),
    belay.state.onChange(({ snapshot }) => follow(snapshot?.servers ?? [])),
  );
}

/** What there is to tell; the same words are told once. */
function newsOf(server: Server): string | undefined {
  if (server.consent !== undefined) return `consent ${server.consent.hash}`;
  switch (server.state) {
    case 'failed':
    case 'needs_sign_in':
    case 'needs_input':
      // What is under way in a browser is no news.
      return server.account === 'under_way'
        ? undefined
        : `${server.state} ${server.id} ${server.error ?? ''}`;
    default:
      return undefined;
  }
}

function tell(belay: Belay, server: Server): Promise<void> {
  switch (server.state) {
    case 'needs_sign_in':
      return tellSignIn(belay, server);
    case 'needs_input':
      return tellInputs(belay, server);
    case 'failed':
      return tellFailed(server);
    default:
      return tellConsent(belay, server);
  }
}

async function tellSignIn(belay: Belay, server: Server): Promise<void> {
  const go = vscode.l10n.t('Sign in…');
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t('The MCP server "{0}" wants you to sign in.', noticeLine(server.name)),
    go,
  );
  if (choice === go) await signIn(belay, server, by.notification);
}

async function tellInputs(belay: Belay, server: Server): Promise<void> {
  const enter = vscode.l10n.t('Enter…');
  const missing = (server.inputs ?? []).filter((input) => input.missing);
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      'The MCP server "{0}" needs from you: {1}',
      noticeLine(server.name),
      noticeLine(missing.map(({ description }) => description).join(', ')),
    ),
    enter,
  );
  if (choice === enter) await askInputs(belay, server, by.notification);
}

async function tellConsent(belay: Belay, server: Server): Promise<void> {
  if (!vscode.workspace.isTrusted) return;
  const review = vscode.l10n.t('Review…');
  const choice = await vscode.window.showInformationMessage(
    vscode.l10n.t('This workspace wants to start the MCP server "{0}".', noticeLine(server.name)),
    review,
  );
  if (choice === review) await askConsent(belay, server, by.notification);
}

async function tellFailed(server: Server): Promise<void> {
  const showLog = vscode.l10n.t('Show log');
  const restart = vscode.l10n.t('Restart');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The MCP server "{0}" has failed: {1}',
      noticeLine(server.name),
      noticeLine(said(server.error ?? '')),
    ),
    showLog,
    restart,
  );
  const target = { server: server.id };
  if (choice === showLog) await vscode.commands.executeCommand(COMMANDS.serverLog, target);
  else if (choice === restart) await vscode.commands.executeCommand(COMMANDS.serverRestart, target);
}
