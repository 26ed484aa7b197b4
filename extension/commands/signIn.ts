/** Sign in to a server over HTTP, and out of it. A browser opens by a person's click alone. */
import * as vscode from 'vscode';
import type { Server } from '../../protocol';
import type { Belay } from '../belay';
import { type By, SIGNED_IN_PATH } from '../ids';
import { noticeLine } from '../views/line';
import { chooseServer, whoOf } from './servers';

/** Sign in…: prepares it, then opens the address of the authorization server in the person's browser. */
export async function signInToServer(belay: Belay, target: unknown): Promise<void> {
  const server = await chooseServer(belay, target, ({ account }) => account === 'needed');
  if (server !== undefined) await signIn(belay, server, whoOf(target));
}

export async function signIn(belay: Belay, server: Server, by: By): Promise<void> {
  const { id, name } = server;
  // A notification stays on screen after what it tells of is over.
  if (belay.state.current?.servers.find((one) => one.id === id)?.account !== 'needed') {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The MCP server "{0}" wants no sign-in now.', noticeLine(name)),
    );
    return;
  }
  const redirectUri = (await vscode.env.asExternalUri(answerUri(belay.context.extension.id))).toString(true);
  const { url } = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Preparing the sign-in to "{0}"…', noticeLine(name)),
      cancellable: true,
    },
    (_progress, token) => {
      token.onCancellationRequested(() => void belay.host.request('server/signInCancel', { server: id, by }));
      return belay.host.request('server/signIn', { server: id, redirectUri, by });
    },
  );
  const browser: Browser = vscode.env;
  if (await browser.openExternal(url)) return;
  await belay.host.request('server/signInCancel', { server: id, by });
}

/** VS Code takes an address as text as well, and only so leaves it as it is: a `Uri` loses what its query has encoded. */
interface Browser {
  openExternal(target: vscode.Uri | string): Thenable<boolean>;
}

export async function cancelSignIn(belay: Belay, target: unknown): Promise<void> {
  const server = await chooseServer(belay, target, ({ account }) => account === 'under_way');
  if (server !== undefined)
    await belay.host.request('server/signInCancel', { server: server.id, by: whoOf(target) });
}

export async function signOutOfServer(belay: Belay, target: unknown): Promise<void> {
  const server = await chooseServer(belay, target, ({ account }) => account === 'signed_in');
  if (server === undefined) return;
  const signOut = vscode.l10n.t('Sign out');
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t('Sign out of the MCP server "{0}"?', noticeLine(server.name)),
    { modal: true, detail: vscode.l10n.t('Its tokens are forgotten, and its connection ends.') },
    signOut,
  );
  if (choice !== signOut) return;
  await belay.host.request('server/signOut', { server: server.id, by: whoOf(target) });
}

/** Where a browser leads back to; VS Code makes an address of it that reaches this window. */
const answerUri = (extension: string): vscode.Uri =>
  vscode.Uri.from({ scheme: vscode.env.uriScheme, authority: extension, path: SIGNED_IN_PATH });
