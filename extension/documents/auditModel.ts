import { l10n } from 'vscode';
import type { AuditEntry } from '../../protocol';
import { withoutMarks } from '../../protocol/worded';
import { plain } from '../views/markdown';
import { outcomeWords } from '../views/outcomes';
import { said } from '../said';

/** The entries as a Markdown table, in the order in which they come. */
export function auditMarkdown(entries: readonly AuditEntry[], more: boolean): string {
  if (entries.length === 0)
    return `# ${l10n.t('Audit')}\n\n${l10n.t('No call has asked for anything yet.')}\n`;
  const heads = [
    l10n.t('When'),
    l10n.t('What'),
    l10n.t('Decision'),
    l10n.t('By'),
    l10n.t('Ran'),
    l10n.t('End'),
    l10n.t('Why'),
  ];
  const rows = entries.map((entry) => [
    new Date(entry.askedAt).toISOString(),
    entry.title,
    decision(entry),
    said(entry.by ?? entry.rule ?? ''),
    entry.ran ? l10n.t('yes') : l10n.t('no'),
    entry.outcome === undefined ? l10n.t('open') : outcomeWords(entry.outcome),
    withoutMarks(said(entry.why)),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [line(heads), line(heads.map(() => '---')), ...rows.map((cells) => line(cells.map(cell)))];
  const note = more ? [l10n.t('There is more; the export has all of it.'), ''] : [];
  return [`# ${l10n.t('Audit')}`, '', ...note, ...table, ''].join('\n');
}

function decision(entry: AuditEntry): string {
  if (entry.decision === undefined) return l10n.t('none');
  return entry.decision === 'allow' ? l10n.t('allowed') : l10n.t('denied');
}

/** Titles, reasons and labels of rules quote the agent: the preview must neither draw nor load what stands in them. */
function cell(text: string): string {
  return plain(text.replace(/\s+/g, ' '));
}
