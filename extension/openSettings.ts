import * as vscode from 'vscode';

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
