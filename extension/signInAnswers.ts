/** What a browser comes back with from a sign-in. Anybody can open such an address: the host knows its own by its state. */
import * as vscode from 'vscode';
import type { Belay } from './belay';
import { HostError, messageOf } from './hostError';
import { SIGNED_IN_PATH } from './ids';
import type { Disposable } from './disposable';
import { noticeLine, noticeText } from './views/line';

export const takeSignInAnswers = (belay: Belay): Disposable =>
  vscode.window.registerUriHandler({
    handleUri: async (uri) => {
      if (uri.path !== SIGNED_IN_PATH) return;
      const query = new URLSearchParams(uri.query);
      const of = (name: string): string | undefined => query.get(name) ?? undefined;
      const state = of('state');
      try {
        if (state === undefined)
          throw new HostError('sign_in_unknown', vscode.l10n.t('This is the answer to no sign-in.'));
        const { server } = await belay.host.request('server/signInAnswer', {
          state,
          code: of('code'),
          error: of('error'),
          errorDescription: of('error_description'),
          issuer: of('iss'),
        });
        const text =
          server.account === 'under_way'
            ? vscode.l10n.t(
                'Everything is paused: the sign-in to "{0}" is finished when you resume.',
                noticeLine(server.name),
              )
            : vscode.l10n.t('You are signed in to "{0}".', noticeLine(server.name));
        void vscode.window.showInformationMessage(text);
      } catch (error) {
        void vscode.window.showErrorMessage(noticeText(messageOf(error)));
      }
    },
  });
