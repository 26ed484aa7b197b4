import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { setDefaultModel } from '../modelProviders';
import { addProvider } from './addProvider';
import { askKey } from './askKey';
import { modelOf } from './modelOf';
import { NEW_PROVIDER, pickProvider } from './pickProvider';

/** Set model key…: of a provider that is set up, or of one that is added now. True when it has what it needs. */
export async function setModelKey(belay: Belay, provider?: string): Promise<boolean> {
  const name = provider ?? (await pickProvider(vscode.l10n.t('Set the key of which provider?'), true));
  if (name === undefined) return false;
  if (name !== NEW_PROVIDER) return askKey(belay, name);
  // It asks for the key of what it has added.
  const added = await addProvider(belay);
  if (added === undefined) return false;
  if (belay.settings.defaultModel() !== undefined) return true;
  const model = await modelOf(belay, added);
  if (model !== undefined) await setDefaultModel(model);
  return true;
}
