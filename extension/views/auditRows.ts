import { l10n } from 'vscode';
import type { AuditEntry, Snapshot } from '../../protocol';
import { age, dateTime, spokenAge } from './ages';
import { fenced, plain, worded } from './markdown';
import { sessionTitle } from './needsModel';
import { outcomeWords } from './outcomes';
import { FAILED_COLOR, type Row } from './treeModel';
import { said } from '../said';

/** The row that asks for older entries. */
export const MORE = 'audit/more';

/** The rows of Audit: newest first, as they were read; the last one asks for more, if there is more. */
export function auditRows(
  entries: readonly AuditEntry[],
  more: boolean,
  snapshot: Snapshot,
  now: number,
): readonly Row[] {
  const rows = entries.map((entry) => auditRow(entry, snapshot, now));
  if (!more) return rows;
  const label = l10n.t('Show older entries');
  return [
    ...rows,
    {
      id: MORE,
      label,
      description: '',
      icon: 'ellipsis',
      context: '<more>',
      spoken: label,
      tooltip: () => label,
      subject: { group: MORE },
    },
  ];
}

function auditRow(entry: AuditEntry, snapshot: Snapshot, now: number): Row {
  const decided = decisionWords(entry);
  const end = endWords(entry);
  const session = sessionTitle(snapshot, entry.session);
  const failed = iconOf(entry) === 'error';
  return {
    id: `audit/${entry.id}`,
    label: entry.title,
    description: [decided, end, session, age(entry.askedAt, now)].join(' · '),
    icon: iconOf(entry),
    ...(failed ? { color: FAILED_COLOR } : {}),
    context: '<audit>',
    spoken: [entry.title, decided, end, session, spokenAge(entry.askedAt, now)].join(', '),
    tooltip: () => tooltip(entry, [decided, end].join(' · '), session),
    subject: { session: entry.session },
  };
}

/**
 * The rule by which what only touches the agent's own records is free, and who it is by; a question is such a call as
 * well, and is by the one who answers it (A1).
 */
const OWN = 'own';

/** A session's mode as who decided, by its name in the chat. */
const MODES: ReadonlyMap<string, () => string> = new Map([
  ['mode ask', () => l10n.t('mode “Ask”')],
  ['mode edits', () => l10n.t('mode “Edits”')],
  ['mode full', () => l10n.t('mode “Full”')],
]);

/** Who let it happen, or did not; of a question, who answered it. */
export function decisionWords({ decision, by, rule, edited }: AuditEntry): string {
  if (decision === undefined) return l10n.t('undecided');
  if (decision === 'allow' && rule === OWN)
    return by === undefined || by === rule
      ? l10n.t('no permission needed')
      : l10n.t('answered by {0}', said(by));
  const named = by ?? rule;
  if (named === undefined) return decision === 'allow' ? l10n.t('allowed') : l10n.t('denied');
  const who = MODES.get(named)?.() ?? said(named);
  if (decision === 'deny') return l10n.t('denied by {0}', who);
  return edited === undefined ? l10n.t('allowed by {0}', who) : l10n.t('changed and allowed by {0}', who);
}

function endWords({ ran, outcome }: AuditEntry): string {
  if (outcome === undefined) return ran ? l10n.t('running') : l10n.t('open');
  const words = outcomeWords(outcome);
  return ran ? words : l10n.t('{0}, never ran', words);
}

/** By shape: still open, not allowed, went well, or did not. */
function iconOf({ decision, outcome, ran }: AuditEntry): string {
  if (outcome === undefined) return 'clock';
  if (decision === 'deny') return 'circle-slash';
  if (!ran) return 'stop-circle';
  return outcome === 'completed' ? 'check' : 'error';
}

function tooltip(entry: AuditEntry, words: string, session: string): string {
  const time = (at: number | undefined): string => (at === undefined ? l10n.t('never') : dateTime(at));
  const facts = [
    words,
    `${l10n.t('Why')}: ${worded(said(entry.why))}`,
    `${l10n.t('Session')}: ${plain(session)} · ${entry.turn} · ${plain(entry.call)}`,
    ...(entry.handle === undefined ? [] : [`${l10n.t('Handle')}: ${entry.handle}`]),
    `${l10n.t('Asked')}: ${time(entry.askedAt)}`,
    `${l10n.t('Decided')}: ${time(entry.decidedAt)}`,
    `${l10n.t('Started')}: ${time(entry.startedAt)}`,
    `${l10n.t('Ended')}: ${time(entry.endedAt)}`,
  ];
  const { edited } = entry;
  const asked =
    edited === undefined ? '' : `${l10n.t('The agent asked for')}:\n\n${fenced(edited.from, '', 20)}\n\n`;
  return `${fenced(edited?.to ?? entry.title, '', 20)}\n\n${asked}${facts.join('  \n')}`;
}
