import * as vscode from 'vscode';
import { isRecord } from './hostError';

/** `belay.models.providers` as the person has set it, by name. A workspace's own file does not count. */
export function providersSet(): Readonly<Record<string, unknown>> {
  const set: unknown = vscode.workspace.getConfiguration('belay').inspect('models.providers')?.globalValue;
  return isRecord(set) ? set : {};
}

/**
 * Shows settings of Belay that a query finds. They are a machine's own: in a remote or a browser window they are on the
 * tab of that machine, and the tab of the user finds none.
 */
export async function openSettings(query: string): Promise<void> {
  const command =
    vscode.env.remoteName === undefined
      ? 'workbench.action.openSettings'
      : 'workbench.action.openRemoteSettings';
  await vscode.commands.executeCommand(command, { query });
}
