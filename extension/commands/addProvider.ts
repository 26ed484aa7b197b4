import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { providersSet, setProvider } from '../modelProviders';
import { modelKeyName } from '../secrets';
import { askKey } from './askKey';

interface ProviderItem extends vscode.QuickPickItem {
  /** Its kind in `belay.models.providers`. */
  readonly provider: 'anthropic' | 'openai' | 'openai-compatible';
}

/**
 * Add a provider…: which one, where it is, its key. Gives its name in the settings; undefined when it was not added, or
 * has no key yet.
 */
export async function addProvider(belay: Belay): Promise<string | undefined> {
  const choice = await vscode.window.showQuickPick(choices(), {
    title: vscode.l10n.t('Which provider of models?'),
    matchOnDetail: true,
  });
  if (choice === undefined) return undefined;
  const kind = choice.provider;
  const baseUrl = kind === 'openai-compatible' ? await askAddress() : undefined;
  if (kind === 'openai-compatible' && baseUrl === undefined) return undefined;
  const name = freeName(
    baseUrl === undefined ? kind : new URL(baseUrl).hostname,
    Object.keys(providersSet()),
  );
  // A key of a provider that had this name before was for its address.
  if (baseUrl !== undefined) await belay.secrets.remove(modelKeyName(name));
  await setProvider(name, baseUrl === undefined ? { kind } : { kind, baseUrl });
  await belay.settings.push();
  return (await askKey(belay, name, kind === 'openai-compatible')) ? name : undefined;
}

const choices = (): readonly ProviderItem[] => [
  {
    label: 'Anthropic',
    detail: vscode.l10n.t('Models of Anthropic, with a key of yours.'),
    provider: 'anthropic',
  },
  { label: 'OpenAI', detail: vscode.l10n.t('Models of OpenAI, with a key of yours.'), provider: 'openai' },
  {
    label: vscode.l10n.t('OpenAI-compatible server…'),
    detail: vscode.l10n.t('Any other service or a server of your own, by its address.'),
    provider: 'openai-compatible',
  },
];

const askAddress = (): Thenable<string | undefined> =>
  vscode.window.showInputBox({
    title: vscode.l10n.t('Address of the service'),
    prompt: vscode.l10n.t('Up to and with its version, as in the example.'),
    placeHolder: 'http://127.0.0.1:8000/v1',
    ignoreFocusOut: true,
    validateInput: (text) =>
      /^https?:\/\/./.test(text) && URL.canParse(text)
        ? undefined
        : vscode.l10n.t('An address begins with http:// or https://.'),
  });

function freeName(wanted: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? wanted : `${wanted}-${String(n)}`;
    if (!taken.includes(name)) return name;
  }
}
