/** The audit as a document: who let what happen, by which rule, whether it ran, and how it ended. */
import * as vscode from 'vscode';
import type { AuditEntry, ResultOf } from '../../protocol';
import type { HostClient } from '../hostClient';
import { SCHEMES } from '../ids';
import type { SnapshotStore } from '../state';
import { brief } from '../views/line';
import { sessionTitle } from '../views/needsModel';
import { auditMarkdown } from './auditModel';
import type { Disposable } from '../disposable';

/** Entries that the document shows; the export has all of them. */
const SHOWN = 1_000;

export async function showAuditDocument(): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEMES.audit, path: '/Belay audit.md', query: String(Date.now()) });
  await vscode.commands.executeCommand('markdown.showPreview', uri);
}

export function provideAudit(host: HostClient, state: SnapshotStore): Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEMES.audit, {
    provideTextDocumentContent: async () => {
      const { entries, more } = await readAudit(host, SHOWN);
      const snapshot = await state.known();
      return auditMarkdown(entries, more, (session) => brief(sessionTitle(snapshot, session)));
    },
  });
}

/** Reads up to `most` entries; `more` says that there are others. */
async function readAudit(host: HostClient, most: number): Promise<{ entries: AuditEntry[]; more: boolean }> {
  const entries: AuditEntry[] = [];
  let cursor: string | undefined;
  do {
    const page: ResultOf<'audit/list'> = await host.request('audit/list', {
      limit: 256,
      ...(cursor === undefined ? {} : { cursor }),
    });
    entries.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined && entries.length < most);
  return { entries: entries.slice(0, most), more: cursor !== undefined || entries.length > most };
}
