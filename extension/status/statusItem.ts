import * as vscode from 'vscode';
import { FROM_STATUS_BAR } from '../ids';
import type { HostClient } from '../hostClient';
import type { SnapshotStore } from '../state';
import { summarize } from '../summary';
import { statusModel } from './statusModel';
import type { Disposable } from '../disposable';

/** Shows the state of all sessions in the status bar. */
export function createStatusItem(host: HostClient, state: SnapshotStore): Disposable {
  const item = vscode.window.createStatusBarItem('belay.status', vscode.StatusBarAlignment.Left, 50);
  item.name = 'Belay';
  const draw = (): void => {
    const model = statusModel(host.status, summarize(state.current));
    item.text = model.text;
    item.tooltip = model.tooltip;
    item.command = { command: model.command, title: model.tooltip, arguments: [FROM_STATUS_BAR] };
    item.accessibilityInformation = { label: model.spoken, role: 'button' };
    item.backgroundColor =
      model.loud === 'no' ? undefined : new vscode.ThemeColor(`statusBarItem.${model.loud}Background`);
  };
  draw();
  item.show();
  return vscode.Disposable.from(item, host.onStatus(draw), state.onChange(draw));
}
