import * as vscode from 'vscode';
import { isRecord } from './hostError';

/** `belay.models.providers` as the person has set it, by name. A workspace's own file does not count. */
export function providersSet(): Readonly<Record<string, unknown>> {
  const set: unknown = vscode.workspace.getConfiguration('belay').inspect('models.providers')?.globalValue;
  return isRecord(set) ? set : {};
}
