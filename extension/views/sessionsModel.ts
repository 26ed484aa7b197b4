import { l10n } from 'vscode';
import type { Session, Snapshot } from '../../protocol';
import { isCutOff } from '../summary';
import { age, dollars, figure, spokenAge } from './ages';
import { brief } from './line';
import { plain } from './markdown';
import { needOf, sessionTitle } from './needsModel';
import { FAILED_COLOR, NEEDS_COLOR, type Row } from './treeModel';

/** The rows of Sessions: newest first, in an order that no event changes; archived ones folded away at the end. */
export function sessionRows(
  snapshot: Snapshot,
  now: number,
  isUnseen: (session: string) => boolean = () => false,
): readonly Row[] {
  const rowOf = (one: Session): Row => sessionRow(snapshot, one, now, isUnseen(one.id));
  const newest = [...snapshot.sessions].sort((a, b) => b.createdAt - a.createdAt);
  const rows = newest.filter((one) => !one.archived).map(rowOf);
  const archived = newest.filter((one) => one.archived).map(rowOf);
  if (archived.length === 0) return rows;
  const label = l10n.t('Archived');
  return [
    ...rows,
    {
      id: 'archived',
      label,
      description: String(archived.length),
      icon: 'archive',
      context: '<group>',
      spoken: `${label}, ${archived.length}`,
      tooltip: () => label,
      subject: { group: 'archived' },
      children: archived,
      folded: true,
    },
  ];
}

/** The mark of an end that the person has not seen: a shape of its own, first in what stands beside the title. */
const UNSEEN = '● ';

interface Look {
  readonly icon: string;
  readonly color?: string;
  readonly words: string;
  /** Since when it is so. */
  readonly since: number;
}

function sessionRow(snapshot: Snapshot, session: Session, now: number, unseen: boolean): Row {
  const look = lookOf(snapshot, session);
  const title = sessionTitle(snapshot, session.id);
  const agent = session.agent.kind === 'model' ? session.agent.model : session.agent.harness;
  return {
    id: `session/${session.id}`,
    label: brief(title),
    description: `${unseen ? UNSEEN : ''}${[age(look.since, now), look.words, agent].join(' · ')}`,
    icon: look.icon,
    ...(look.color === undefined ? {} : { color: look.color }),
    context: contextOf(session),
    spoken: [
      title,
      ...(unseen ? [l10n.t('not looked at yet')] : []),
      look.words,
      spokenAge(look.since, now),
      agent,
    ].join(', '),
    tooltip: () => tooltip(session, title, look, agent),
    subject: { session: session.id },
  };
}

/** What needs the person comes before what the session itself does: it is what they look for. */
function lookOf(snapshot: Snapshot, session: Session): Look {
  const needs = snapshot.needs.filter((need) => needOf(need).session === session.id);
  const [first] = needs;
  const since = session.updatedAt;
  if (first !== undefined) {
    const icon = needs.every((need) => need.kind === 'question') ? 'question' : 'bell-dot';
    return {
      icon,
      color: NEEDS_COLOR,
      words: l10n.t('needs you'),
      since: needOf(first).askedAt,
    };
  }
  switch (session.state) {
    case 'running':
      return { icon: 'sync~spin', words: l10n.t('running'), since };
    case 'waiting':
      return { icon: 'watch', words: l10n.t('waits for a background command'), since };
    case 'queued':
      return { icon: 'clock', words: l10n.t('queued'), since };
    case 'paced':
      return { icon: 'clock', words: l10n.t('waits before it tries again'), since };
    case 'paused':
      return { icon: 'debug-pause', words: l10n.t('paused'), since };
    case 'idle':
      return endOf(session);
  }
}

function endOf(session: Session): Look {
  const { ended } = session;
  if (ended === undefined) return { icon: 'comment', words: l10n.t('new'), since: session.createdAt };
  const since = ended.at;
  if (ended.status === 'failed')
    return { icon: 'error', color: FAILED_COLOR, words: l10n.t('failed'), since };
  if (ended.status !== 'interrupted') return { icon: 'check', words: l10n.t('done'), since };
  return ended.code === 'host_lost'
    ? { icon: 'debug-disconnect', words: l10n.t('cut off when the host ended'), since }
    : { icon: 'stop-circle', words: l10n.t('stopped'), since };
}

function contextOf(session: Session): string {
  return [
    '<session>',
    session.state === 'idle' ? '<idle>' : '<busy>',
    session.archived ? '<archived>' : '<kept>',
    isCutOff(session) ? '<cutOff>' : '',
  ].join('');
}

function tooltip(session: Session, title: string, look: Look, agent: string): string {
  const { usage } = session;
  const cost = usage.costUsd === undefined ? '' : ` · ${dollars(usage.costUsd)}`;
  const facts = [
    look.words,
    `${l10n.t('Folder')}: ${plain(session.folder)}`,
    `${l10n.t('Agent')}: ${plain(agent)}`,
    `${l10n.t('Tokens')}: ${figure(usage.inputTokens + usage.outputTokens)}${cost}`,
  ];
  return `**${plain(title)}**\n\n${facts.join('  \n')}`;
}
