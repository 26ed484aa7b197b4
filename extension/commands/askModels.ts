import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { listedModels } from '../listedModels';
import { providersSet, setProviders } from '../modelProviders';
import { modelKeyName } from '../secrets';

/** Up to here all that a service lists are chosen beforehand: so many a server of one's own has. */
const CHOSEN_BEFOREHAND = 10;

/**
 * Which models of a service stand in the lists: chosen among those that it lists itself, or named by the person. They are
 * written into the settings. False when the person thought better of it.
 */
export async function askModels(belay: Belay, name: string, baseUrl: string): Promise<boolean> {
  const listed = await listedNow(belay, name, baseUrl);
  const [only] = listed;
  const ids =
    listed.length === 0
      ? await named(name)
      : listed.length === 1 && only !== undefined
        ? [only]
        : await chosen(name, listed);
  if (ids === undefined || ids.length === 0) return false;
  const present = providersSet();
  const provider = present[name];
  if (typeof provider !== 'object' || provider === null) return false;
  await setProviders({ ...present, [name]: { ...provider, models: ids.map((id) => ({ id })) } });
  await belay.settings.push();
  return true;
}

/** While everything is paused nothing goes out, so nothing is asked of the service. */
async function listedNow(belay: Belay, name: string, baseUrl: string): Promise<readonly string[]> {
  if (belay.state.current?.host.paused === true) return [];
  const key = await belay.secrets.get(modelKeyName(name));
  const title = vscode.l10n.t('Asking {0} for its models…', name);
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () =>
    listedModels(baseUrl, key),
  );
}

async function chosen(name: string, listed: readonly string[]): Promise<readonly string[] | undefined> {
  const picked = listed.length <= CHOSEN_BEFOREHAND;
  const items = listed.map((label) => ({ label, picked }));
  const title = vscode.l10n.t('Which models of {0} do you want to use?', name);
  const choice = await vscode.window.showQuickPick(items, { title, canPickMany: true, ignoreFocusOut: true });
  return choice?.map(({ label }) => label);
}

/** Ids have no commas. */
async function named(name: string): Promise<readonly string[] | undefined> {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Models of {0}', name),
    prompt: vscode.l10n.t('It does not tell which it has. Enter their ids, with commas between them.'),
    placeHolder: 'llama-3.3-70b, qwen3-coder',
    ignoreFocusOut: true,
    validateInput: (given) => (idsIn(given).length === 0 ? vscode.l10n.t('An id is needed.') : undefined),
  });
  return text === undefined ? undefined : idsIn(text);
}

const idsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  ),
];
