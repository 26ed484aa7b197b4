import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { auditLines, readAudit, showAuditDocument } from '../documents/auditDocument';

/** Show audit: who let what happen, as a document that can be searched. */
export async function showAudit(): Promise<void> {
  await showAuditDocument();
}

/** Export audit…: one JSON object a line, for other programs. */
export async function exportAudit(belay: Belay): Promise<void> {
  const { entries } = await readAudit(belay.host, Number.POSITIVE_INFINITY);
  const target = await vscode.window.showSaveDialog({
    filters: { 'JSON Lines': ['jsonl'] },
    saveLabel: vscode.l10n.t('Export'),
    title: vscode.l10n.t('Export the audit'),
  });
  if (target === undefined) return;
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(auditLines(entries)));
  void vscode.window.showInformationMessage(vscode.l10n.t('{0} entries were exported.', entries.length));
}
