import * as vscode from 'vscode';
import type { ModelInfo, Session } from '../protocol';
import type { HostClient } from './hostClient';
import { CONTEXT, type Step } from './ids';
import type { Settings } from './settingsWatch';
import type { SnapshotStore } from './state';
import { summarize } from './summary';
import type { Disposable } from './disposable';

/** The provider that needs no key and plays an agent. */
const REHEARSAL = 'rehearsal';

type Value = string | number | boolean | undefined;

/** What the editor was told last. */
const sent = new Map<string, Value>();

/** Only what has changed is sent to the editor. */
export function setKey(key: string, value: Value): void {
  if (sent.get(key) === value) return;
  sent.set(key, value);
  void vscode.commands.executeCommand('setContext', key, value);
}

export interface Sources {
  readonly host: HostClient;
  readonly state: SnapshotStore;
  readonly settings: Settings;
  /** Told of each step of the walkthrough whose deed shows in what is followed here, as often as it shows. */
  readonly did: (step: Step) => void;
}

/** Keeps the keys of `when` clauses in line with the snapshot. */
export function followContextKeys({ host, state, settings, did }: Sources): Disposable {
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
    if (summary.sessions > 0) did('session');
    if (state.current?.sessions.some(({ agent }) => !isRehearsal(agent)) === true) did('model');
    if (summary.paused) did('pause');
  };
  const models = async (): Promise<void> => {
    try {
      const { items } = await host.request('model/list', {});
      const chosen = settings.defaultModel();
      const begins = beginning(items, chosen);
      setKey(CONTEXT.models, begins);
      if (begins === 'ready' || chosen !== undefined) did('model');
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
    host.onModelsTaken(() => void models()),
  );
}

/** What new sessions begin with: the person's choice, or else what can work, the rehearsal last. */
export function beginning(models: readonly ModelInfo[], chosen: string | undefined): string {
  const ready = models.filter((model) => model.ready && (chosen === undefined || model.id === chosen));
  if (ready.length === 0) return 'none';
  return ready.some(({ provider }) => provider !== REHEARSAL) ? 'ready' : REHEARSAL;
}

const isRehearsal = (agent: Session['agent']): boolean =>
  agent.kind === 'model' && agent.model.startsWith(`${REHEARSAL}/`);
