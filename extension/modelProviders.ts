import * as vscode from 'vscode';
import { isRecord } from './hostError';

/** `belay.models.providers` as the person has set it, by name. A workspace's own file does not count. */
export function providersSet(): Readonly<Record<string, unknown>> {
  const set: unknown = vscode.workspace.getConfiguration('belay').inspect('models.providers')?.globalValue;
  return isRecord(set) ? set : {};
}

/** Writes them into the person's own settings. */
export const setProviders = (providers: Readonly<Record<string, unknown>>): Thenable<void> =>
  vscode.workspace
    .getConfiguration('belay')
    .update('models.providers', providers, vscode.ConfigurationTarget.Global);

/** Providers whose models nobody knows: those of a service with an address of its own that the settings do not name. */
export const unnamed = (): readonly { readonly name: string; readonly baseUrl: string }[] =>
  Object.entries(providersSet()).flatMap(([name, set]) =>
    isRecord(set) &&
    set['kind'] === 'openai-compatible' &&
    typeof set['baseUrl'] === 'string' &&
    !(Array.isArray(set['models']) && set['models'].length > 0)
      ? [{ name, baseUrl: set['baseUrl'] }]
      : [],
  );
