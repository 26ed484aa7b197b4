import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { WALKTHROUGH } from '../ids';

export async function openWalkthrough({ context }: Belay): Promise<void> {
  const id = `${context.extension.id}#${WALKTHROUGH}`;
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', id);
}
