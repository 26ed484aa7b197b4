import { l10n } from 'vscode';
import { meetsUnsaved } from '../../protocol/unsavedFiles';
import type { Approval, Handle, Need, Question, Snapshot } from '../../protocol';
import { age, spokenAge, timeOfDay } from './ages';
import { fenced, plain, worded } from './markdown';
import { brief } from './line';
import { isWholeInRow } from './shownWhole';
import { NEEDS_COLOR, type Row } from './treeModel';
import { said } from '../said';

/** Lines of a command, a diff or arguments that a tooltip shows; the rest is one click away. */
const TOOLTIP_LINES = 40;

export const needId = (need: Need): string =>
  need.kind === 'approval' ? need.approval.id : need.question.id;
export const needOf = (need: Need): Approval | Question =>
  need.kind === 'approval' ? need.approval : need.question;

/** The rows of Needs you: oldest first, steps under the call that makes them (A8). */
export function needRows(snapshot: Snapshot, now: number): readonly Row[] {
  const rows: Row[] = [];
  const groups = new Map<string, { place: number; needs: Need[] }>();
  for (const need of snapshot.needs) {
    const parent = parentKey(need);
    if (parent === undefined) {
      rows.push(needRow(snapshot, need, now));
      continue;
    }
    const group = groups.get(parent);
    if (group === undefined)
      groups.set(parent, { place: rows.push(groupRow(snapshot, need, [need], now)) - 1, needs: [need] });
    else {
      group.needs.push(need);
      rows[group.place] = groupRow(snapshot, need, group.needs, now);
    }
  }
  return rows;
}

/** What tells one request in a list of them: its title, then its age, which is to be read in a narrow row as well, and its session. */
export function needLine(
  snapshot: Snapshot,
  need: Need,
  now: number,
): { label: string; description: string } {
  const it = needOf(need);
  const session = sessionTitle(snapshot, it.session);
  const parts = [age(it.askedAt, now), it.handle, brief(session)].filter(
    (part) => part !== undefined && part !== '',
  );
  return { label: it.title, description: parts.join(' · ') };
}

export function sessionTitle(snapshot: Snapshot, session: string): string {
  const title = snapshot.sessions.find((one) => one.id === session)?.title ?? '';
  return title === '' ? l10n.t('New session') : title;
}

/** Everything a person needs to decide, as Markdown. */
export function needTooltip(snapshot: Snapshot, need: Need, now: number): string {
  const it = needOf(need);
  const session = snapshot.sessions.find((one) => one.id === it.session);
  const facts: string[] = [];
  if (need.kind === 'approval') {
    if (meetsUnsaved(need.approval, snapshot.host)) facts.push(`**${unsavedText()}**`);
    facts.push(`${l10n.t('Folder')}: ${plain(need.approval.folder)}`);
    facts.push(`${l10n.t('Why it asks')}: ${worded(said(need.approval.why))}`);
  }
  facts.push(`${l10n.t('Session')}: ${plain(sessionTitle(snapshot, it.session))}${agentOf(session)}`);
  if (it.handle !== undefined) facts.push(l10n.t('Moved to the background as {0}', it.handle));
  facts.push(`${l10n.t('Since')}: ${timeOfDay(it.askedAt)} (${age(it.askedAt, now)})${again(need)}`);
  if (it.lapsesAt !== undefined) facts.push(`${l10n.t('Lapses')}: ${timeOfDay(it.lapsesAt)}`);
  return [isToldByBody(need) ? '' : `**${plain(it.title)}**`, body(need), facts.join('  \n')]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** What a person should know before an edit is allowed. */
export const unsavedText = (): string =>
  l10n.t('You have unsaved changes in this file. The agent cannot write it until you save or discard them.');

/** The title is that of the command below, or its beginning. */
const isToldByBody = (need: Need): boolean =>
  need.kind === 'approval' &&
  need.approval.preview.kind === 'command' &&
  need.approval.preview.command.startsWith(need.approval.title.replace(/…$/, ''));

/** When it was announced again, because what it was asked under has changed (A4). */
function again(need: Need): string {
  const at = need.kind === 'approval' ? need.approval.askedAgainAt : undefined;
  return at === undefined ? '' : ` · ${l10n.t('asked again: {0}', timeOfDay(at))}`;
}

function needRow(snapshot: Snapshot, need: Need, now: number): Row {
  const it = needOf(need);
  const { label, description } = needLine(snapshot, need, now);
  const asks = need.kind === 'approval' ? l10n.t('Waits for your approval') : l10n.t('Waits for your answer');
  return {
    id: `need/${it.id}`,
    label: brief(label),
    description,
    icon: need.kind === 'approval' ? 'bell-dot' : 'question',
    color: NEEDS_COLOR,
    context: needContext(need),
    spoken: [label, asks, sessionTitle(snapshot, it.session), spokenAge(it.askedAt, now)].join(', '),
    tooltip: () => needTooltip(snapshot, need, now),
    subject: need.kind === 'approval' ? { approval: it.id } : { question: it.id },
  };
}

function groupRow(snapshot: Snapshot, first: Need, needs: readonly Need[], now: number): Row {
  const it = needOf(first);
  const handle = snapshot.handles.find((one) => one.id === it.handle);
  const session = sessionTitle(snapshot, it.session);
  const label = handle?.title ?? l10n.t('Steps of a script');
  return {
    id: `steps/${parentKey(first) ?? ''}`,
    label,
    description: [it.handle, brief(session)].filter((part) => part !== undefined).join(' · '),
    icon: groupIcon(handle),
    context: `<steps>${it.handle === undefined ? '' : '<lifted>'}`,
    spoken: l10n.t('{0}, {1}, {2} steps wait', label, session, needs.length),
    tooltip: () => `**${plain(label)}**\n\n${l10n.t('{0} of its steps wait for you.', needs.length)}`,
    subject: it.handle === undefined ? { group: it.parent ?? '' } : { handle: it.handle },
    children: needs.map((need) => needRow(snapshot, need, now)),
  };
}

function groupIcon(handle: Handle | undefined): string {
  return handle === undefined ? 'symbol-event' : 'server-process';
}

/** Steps belong to their parent call, or to the handle that it has become. */
function parentKey(need: Need): string | undefined {
  const it = needOf(need);
  if (it.parent === undefined) return undefined;
  return it.handle ?? `${it.turn}/${it.parent}`;
}

function needContext(need: Need): string {
  const lifted = needOf(need).handle === undefined ? '' : '<lifted>';
  if (need.kind === 'question') return `<question>${lifted}`;
  const { preview, offers } = need.approval;
  const whole = isWholeInRow(need.approval) ? '<whole>' : '<part>';
  return `<approval>${whole}${lifted}${preview.kind === 'diff' ? '<diff>' : ''}${offers.length > 0 ? '<offers>' : ''}`;
}

function agentOf(session: Snapshot['sessions'][number] | undefined): string {
  if (session === undefined) return '';
  return ` · ${plain(session.agent.kind === 'model' ? session.agent.model : session.agent.harness)}`;
}

function body(need: Need): string {
  if (need.kind === 'question') return fenced(jsonOf(need.question.args), 'json', TOOLTIP_LINES);
  const { preview, args } = need.approval;
  switch (preview.kind) {
    case 'command':
      return fenced(preview.command, 'sh', TOOLTIP_LINES);
    case 'diff':
      return `${plain(preview.path)} +${preview.added} −${preview.removed}\n\n${fenced(preview.diff, 'diff', TOOLTIP_LINES)}`;
    case 'text':
      return fenced(preview.text, 'md', TOOLTIP_LINES);
    case 'arguments':
      return fenced(jsonOf(args), 'json', TOOLTIP_LINES);
  }
}

/** Arguments come from a model: they may be anything, nothing included. */
function jsonOf(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, null, 2);
}
