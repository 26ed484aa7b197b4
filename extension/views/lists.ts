import * as vscode from 'vscode';
import type { Clock } from '../clock';
import { COMMANDS, VIEWS } from '../ids';
import type { HostClient } from '../hostClient';
import type { Attached } from '../terminals/terminals';
import type { SnapshotStore } from '../state';
import { sessionOf } from '../subjects';
import type { Unseen } from '../unseen';
import { handleRows } from './handlesModel';
import { serverRows } from './serversModel';
import { ListView } from './listView';
import { sessionDrag } from './sessionDrag';
import { sessionRows } from './sessionsModel';
import type { Disposable } from '../disposable';

export function createSessionsView(
  host: HostClient,
  state: SnapshotStore,
  unseen: Unseen,
  clock: Clock,
  onVisible: () => void,
): Disposable {
  const view = new ListView(
    {
      id: VIEWS.sessions,
      rows: (snapshot, now) => sessionRows(snapshot, now, (session) => unseen.has(session)),
      since: (snapshot) => snapshot.sessions.map((session) => session.updatedAt),
      drag: sessionDrag(
        (node) => sessionOf(state.current, node),
        async (session) => {
          await host.request('session/update', { session, archived: true });
        },
      ),
      open: (row) =>
        'session' in row.subject
          ? {
              command: COMMANDS.sessionOpen,
              title: vscode.l10n.t('Open chat'),
              arguments: [{ subject: row.subject }],
            }
          : undefined,
    },
    state,
    clock,
    onVisible,
  );
  return vscode.Disposable.from(
    view,
    unseen.onChange(() => view.refresh()),
  );
}

export function createHandlesView(
  state: SnapshotStore,
  clock: Clock,
  attached: Attached,
  onVisible: () => void,
): Disposable {
  const view = new ListView(
    {
      id: VIEWS.handles,
      rows: (snapshot, now) => handleRows(snapshot, now, (handle) => attached.has(handle)),
      since: (snapshot) =>
        snapshot.handles.flatMap((handle) => (handle.state === 'ended' ? [] : [handle.startedAt])),
      open: (row) => ({
        ...(row.context.includes('<terminal>')
          ? { command: COMMANDS.handleAttach, title: vscode.l10n.t('Attach') }
          : { command: COMMANDS.handleOutput, title: vscode.l10n.t('Open output') }),
        arguments: [{ subject: row.subject }],
      }),
    },
    state,
    clock,
    onVisible,
  );
  return vscode.Disposable.from(
    view,
    attached.onChange(() => view.refresh()),
  );
}

export function createServersView(state: SnapshotStore, clock: Clock, onVisible: () => void): Disposable {
  return new ListView(
    {
      id: VIEWS.servers,
      rows: serverRows,
      since: (snapshot) => snapshot.servers.map((server) => server.changedAt),
      open: (row) =>
        row.context.includes('<needs_consent>')
          ? {
              command: COMMANDS.serverConsent,
              title: vscode.l10n.t('Review…'),
              arguments: [{ subject: row.subject }],
            }
          : undefined,
    },
    state,
    clock,
    onVisible,
  );
}
