import * as vscode from 'vscode';
import type { HostClient } from './hostClient';
import { CONTEXT } from './ids';
import type { SnapshotStore } from './state';
import { summarize } from './summary';
import type { Disposable } from './disposable';

type Value = string | number | boolean | undefined;

/** What the editor was told last. */
const sent = new Map<string, Value>();

/** Only what has changed is sent to the editor. */
export function setKey(key: string, value: Value): void {
  if (sent.get(key) === value) return;
  sent.set(key, value);
  void vscode.commands.executeCommand('setContext', key, value);
}

/** Keeps the keys of `when` clauses in line with the snapshot. */
export function followContextKeys(host: HostClient, state: SnapshotStore): Disposable {
  const lists = (): void => {
    const summary = summarize(state.current);
    setKey(CONTEXT.paused, summary.paused);
    setKey(CONTEXT.approvals, summary.approvals);
    setKey(CONTEXT.questions, summary.questions);
    setKey(CONTEXT.sessions, summary.sessions);
    setKey(CONTEXT.running, summary.running);
    setKey(CONTEXT.cutOff, summary.cutOff);
    setKey(CONTEXT.handles, summary.handles);
    setKey(CONTEXT.openHandles, summary.openHandles);
    setKey(CONTEXT.terminals, summary.terminals);
    setKey(CONTEXT.servers, summary.servers);
  };
  const models = async (): Promise<void> => {
    try {
      const { items } = await host.request('model/list', {});
      setKey(
        CONTEXT.models,
        items.some((model) => model.ready && model.provider !== 'rehearsal') ? 'ready' : 'none',
      );
    } catch {
      // A host that is gone has no models; the key keeps its last value until there is one again.
    }
  };
  const status = (): void => {
    setKey(CONTEXT.host, host.status.kind);
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
