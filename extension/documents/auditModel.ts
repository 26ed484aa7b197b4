import { l10n } from 'vscode';
import type { AuditEntry } from '../../protocol';

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
    `\`${entry.title.replace(/`/g, 'ˋ')}\``,
    decision(entry),
    entry.by ?? entry.rule ?? '',
    entry.ran ? l10n.t('yes') : l10n.t('no'),
    entry.outcome ?? l10n.t('open'),
    entry.why,
  ]);
  const table = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  const note = more ? [l10n.t('There is more; the export has all of it.'), ''] : [];
  return [`# ${l10n.t('Audit')}`, '', ...note, ...table, ''].join('\n');
}

function decision(entry: AuditEntry): string {
  if (entry.decision === undefined) return l10n.t('none');
  return entry.decision === 'allow' ? l10n.t('allowed') : l10n.t('denied');
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\s+/g, ' ');
}
