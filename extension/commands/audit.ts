import * as vscode from 'vscode';
import type { Belay } from '../belay';
import { showAuditDocument } from '../documents/auditDocument';
import { VIEWS } from '../ids';
import type { AuditFilter } from '../views/auditView';
import { piecesOf, saveText } from './saveText';

/** Show audit: who let what happen, in its view. */
export async function showAudit(): Promise<void> {
  await vscode.commands.executeCommand(`${VIEWS.audit}.focus`);
}

/** The audit as a page with a table. */
export async function auditPage(): Promise<void> {
  await showAuditDocument();
}

/** Filter audit…: by what was decided, then by a word. */
export async function filterAudit({ audit }: Belay): Promise<void> {
  const kinds: readonly (vscode.QuickPickItem & { readonly decision?: AuditFilter['decision'] })[] = [
    { label: vscode.l10n.t('Everything') },
    { label: vscode.l10n.t('Allowed'), decision: 'allow' },
    { label: vscode.l10n.t('Denied'), decision: 'deny' },
    {
      label: vscode.l10n.t('Undecided'),
      detail: vscode.l10n.t('Waits, lapsed or was withdrawn'),
      decision: 'none',
    },
  ];
  const kind = await vscode.window.showQuickPick(kinds, {
    title: vscode.l10n.t('Filter the audit (1 of 2)'),
  });
  if (kind === undefined) return;
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter the audit (2 of 2)'),
    prompt: vscode.l10n.t('Part of a command, a path or a tool’s name. Empty for all.'),
    value: audit.filter.text ?? '',
    validateInput: (value) => (value.length > 256 ? vscode.l10n.t('At most 256 characters.') : undefined),
  });
  if (text === undefined) return;
  await audit.setFilter({
    ...(kind.decision === undefined ? {} : { decision: kind.decision }),
    ...(text.trim() === '' ? {} : { text: text.trim() }),
  });
}

export async function unfilterAudit({ audit }: Belay): Promise<void> {
  await audit.setFilter({});
}

export async function moreAudit({ audit }: Belay): Promise<void> {
  await audit.more();
}

/** Export audit…: one JSON object a line, for other programs; what the view is filtered by counts here as well. */
export async function exportAudit({ host, audit }: Belay): Promise<void> {
  const { filter } = audit;
  const pieces = piecesOf((cursor) =>
    host.request('audit/export', { ...filter, pieces: true, ...(cursor === undefined ? {} : { cursor }) }),
  );
  await saveText(pieces, vscode.l10n.t('Export the audit'), 'belay-audit.jsonl', { 'JSON Lines': ['jsonl'] });
}
