import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { modelKeyName } from '../secrets';
import { noticeLine } from '../views/line';
import { pickProvider } from './pickProvider';

/** Remove model key…: the provider then uses its environment variable, or none. */
export async function removeModelKey(belay: Belay): Promise<void> {
  const provider = await pickProvider(vscode.l10n.t('Remove the key of which provider?'));
  if (provider === undefined) return;
  const name = modelKeyName(provider);
  if ((await belay.secrets.get(name)) === undefined) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('No key of {0} is stored.', noticeLine(provider)),
    );
    return;
  }
  await belay.secrets.remove(name);
  await belay.settings.push();
  void vscode.window.showInformationMessage(
    vscode.l10n.t('The key of {0} was removed.', noticeLine(provider)),
  );
}
