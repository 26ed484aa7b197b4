import type * as vscode from 'vscode';
import type { Snapshot } from '../protocol';
import type { HostClient } from './hostClient';
import type { SnapshotStore } from './state';
import type { Secrets } from './secrets';
import type { Settings } from './settingsWatch';
import type { Unseen } from './unseen';
import type { AuditView } from './views/auditView';
import type { Terminals } from './terminals/terminals';
import type { ChangesView } from './views/changesView';
import type { ChatView } from './views/chatView';
import type { NeedsView } from './views/needsView';

/** What every command may use. Built once, in extension.ts. */
export interface Belay {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly host: HostClient;
  readonly state: SnapshotStore;
  readonly secrets: Secrets;
  readonly settings: Settings;
  readonly unseen: Unseen;
  readonly chat: ChatView;
  readonly needs: NeedsView;
  readonly terminals: Terminals;
  readonly audit: AuditView;
  readonly changes: ChangesView;
}

/** Starts the host if need be and gives the lists once they are known. */
export async function known(belay: Pick<Belay, 'host' | 'state'>): Promise<Snapshot> {
  await belay.host.start();
  return belay.state.known();
}
