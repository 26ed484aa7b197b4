import { l10n } from 'vscode';
import type { AuditEntry } from '../../protocol';
import { withoutMarks } from '../../protocol/worded';
import { day, timeOfDay } from '../views/ages';
import { decisionWords } from '../views/auditRows';
import { plain } from '../views/markdown';
import { outcomeWords } from '../views/outcomes';
import { said } from '../said';

/**
 * The entries as Markdown, in the order in which they come: a table for each day, with the times of this machine. The
 * export has them for other programs.
 */
export function auditMarkdown(
  entries: readonly AuditEntry[],
  more: boolean,
  titleOf: (session: string) => string,
): string {
  if (entries.length === 0)
    return `# ${l10n.t('Audit')}\n\n${l10n.t('No call has asked for anything yet.')}\n`;
  const days = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const when = day(entry.askedAt);
    const same = days.get(when);
    if (same === undefined) days.set(when, [entry]);
    else same.push(entry);
  }
  const tables = [...days].flatMap(([when, same]) => [`## ${plain(when)}`, '', ...table(same, titleOf), '']);
  const note = more ? [l10n.t('There is more; the export has all of it.'), ''] : [];
  return [`# ${l10n.t('Audit')}`, '', ...note, ...tables].join('\n');
}

function table(entries: readonly AuditEntry[], titleOf: (session: string) => string): readonly string[] {
  const heads = [
    l10n.t('When'),
    l10n.t('What'),
    l10n.t('Decision'),
    l10n.t('Ran'),
    l10n.t('End'),
    l10n.t('Session'),
    l10n.t('Why'),
  ];
  const rows = entries.map((entry): readonly [string, ...string[]] => [
    timeOfDay(entry.askedAt).replace(/\s/g, '&nbsp;'),
    entry.edited === undefined
      ? entry.title
      : l10n.t('{0} (the agent asked for: {1})', entry.title, entry.edited.from),
    decisionWords(entry),
    entry.ran ? l10n.t('yes') : l10n.t('no'),
    entry.outcome === undefined ? l10n.t('open') : outcomeWords(entry.outcome),
    titleOf(entry.session),
    withoutMarks(said(entry.why)),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map(([when, ...cells]) => line([when, ...cells.map(cell)])),
  ];
}

/** A longer word may be broken between its lines, so that no command pushes the other columns out of sight. */
const WORD_PIECES = /.{1,40}/gu;
const MAY_BREAK = '&#8203;';

/** Titles, reasons and labels of rules quote the agent: the preview must neither draw nor load what stands in them. */
function cell(text: string): string {
  const words = text.split(/\s+/).map((word) => word.match(WORD_PIECES) ?? []);
  return words.map((pieces) => pieces.map(plain).join(MAY_BREAK)).join(' ');
}
