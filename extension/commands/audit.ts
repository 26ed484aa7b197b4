import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { showAuditDocument } from '../documents/auditDocument';
import { saveText } from './saveText';

/** Show audit: who let what happen, as a page. */
export async function showAudit(): Promise<void> {
  await showAuditDocument();
}

/** Export audit…: one JSON object a line, for other programs. */
export async function exportAudit(belay: Belay): Promise<void> {
  const { text } = await belay.host.request('audit/export', {});
  await saveText(text, vscode.l10n.t('Export the audit'), 'belay-audit.jsonl', { 'JSON Lines': ['jsonl'] });
}
