import * as vscode from 'vscode';
import { isRecord } from './hostError';

/** `belay.models.providers` as the person has set it, by name. A workspace's own file does not count. */
export function providersSet(): Readonly<Record<string, unknown>> {
  const set: unknown = vscode.workspace.getConfiguration('belay').inspect('models.providers')?.globalValue;
  return isRecord(set) ? set : {};
}

/** Adds one to them, or puts it in the place of the one with its name: in the person's own settings (A12). */
export async function setProvider(name: string, provider: object): Promise<void> {
  await vscode.workspace
    .getConfiguration('belay')
    .update('models.providers', { ...providersSet(), [name]: provider }, vscode.ConfigurationTarget.Global);
}

/** The model that new sessions begin with, as `provider/model-id`. */
export async function setDefaultModel(model: string): Promise<void> {
  await vscode.workspace
    .getConfiguration('belay')
    .update('models.default', model, vscode.ConfigurationTarget.Global);
}
