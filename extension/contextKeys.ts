import * as vscode from 'vscode';
import type { HostClient } from './hostClient';
import { CONTEXT } from './ids';
import type { SnapshotStore } from './state';
import { summarize } from './summary';
import type { Disposable } from './disposable';

type Value = string | number | boolean | undefined;

/** Keeps the keys of `when` clauses in line with the snapshot; only what has changed is sent to the editor. */
export function followContextKeys(host: HostClient, state: SnapshotStore): Disposable {
  const sent = new Map<string, Value>();
  const set = (key: string, value: Value): void => {
    if (sent.get(key) === value) return;
    sent.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  };
  const lists = (): void => {
    const summary = summarize(state.current);
    set(CONTEXT.paused, summary.paused);
    set(CONTEXT.approvals, summary.approvals);
    set(CONTEXT.questions, summary.questions);
    set(CONTEXT.sessions, summary.sessions);
    set(CONTEXT.running, summary.running);
    set(CONTEXT.cutOff, summary.cutOff);
    set(CONTEXT.handles, summary.handles);
    set(CONTEXT.openHandles, summary.openHandles);
    set(CONTEXT.terminals, summary.terminals);
    set(CONTEXT.servers, summary.servers);
  };
  const models = async (): Promise<void> => {
    try {
      const { items } = await host.request('model/list', {});
      set(
        CONTEXT.models,
        items.some((model) => model.ready && model.provider !== 'rehearsal') ? 'ready' : 'none',
      );
    } catch {
      // A host that is gone has no models; the key keeps its last value until there is one again.
    }
  };
  const status = (): void => {
    set(CONTEXT.host, host.status.kind);
    if (host.status.kind === 'ready') void models();
  };
  status();
  lists();
  return vscode.Disposable.from(
    host.onStatus(status),
    state.onChange(lists),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('belay.models') && host.status.kind === 'ready') void models();
    }),
  );
}
