import { l10n } from 'vscode';
import type { Handle, Snapshot } from '../../protocol';
import { isOpenTerminal } from '../summary';
import { age, spokenAge, timeOfDay } from './ages';
import { fenced, plain } from './markdown';
import { sessionTitle } from './needsModel';
import { brief } from './line';
import { isWholeInRow } from './shownWhole';
import { FAILED_COLOR, NEEDS_COLOR, type Row } from './treeModel';

/** The rows of Handles: what is open first, then what has ended, newest first in both. */
export function handleRows(
  snapshot: Snapshot,
  now: number,
  isAttached: (handle: string) => boolean = () => false,
): readonly Row[] {
  const newest = [...snapshot.handles].sort((a, b) => b.startedAt - a.startedAt);
  const open = newest.filter((handle) => handle.state !== 'ended');
  const ended = newest.filter((handle) => handle.state === 'ended');
  return [...open, ...ended].map((handle) => handleRow(snapshot, handle, now, isAttached(handle.id)));
}

function handleRow(snapshot: Snapshot, handle: Handle, now: number, isAttached: boolean): Row {
  const isTerminal = isOpenTerminal(handle);
  const words = isTerminal && isAttached ? l10n.t('terminal, attached') : handleWords(handle);
  const session = sessionTitle(snapshot, handle.session);
  const color = iconColor(handle);
  const need = needOf(snapshot, handle);
  return {
    id: `handle/${handle.id}`,
    label: brief(handle.title),
    description: [handle.id, words, ...timesOf(handle, now, age)].join(' · '),
    icon: handleIcon(handle),
    ...(color === undefined ? {} : { color }),
    context: `<handle>${handle.state === 'ended' ? '<ended>' : '<open>'}${isTerminal ? '<terminal>' : ''}${need?.context ?? ''}`,
    spoken: [handle.title, words, session, ...timesOf(handle, now, spokenAge)].join(', '),
    tooltip: () => tooltip(handle, words, session),
    subject: { handle: handle.id, ...need?.subject },
  };
}

/** How long it waits or runs; of what has ended how long it ran, as its call says, and when that was over. */
function timesOf(
  { state, startedAt, runningAt, endedAt }: Handle,
  now: number,
  inWords: (since: number, until: number) => string,
): readonly string[] {
  if (state !== 'ended' || endedAt === undefined)
    return [inWords((state === 'running' ? runningAt : undefined) ?? startedAt, now)];
  return [...(runningAt === undefined ? [] : [inWords(runningAt, endedAt)]), timeOfDay(endedAt)];
}

/** The request of a lifted call: it can be answered on the row of its handle as well. */
function needOf(snapshot: Snapshot, handle: Handle) {
  for (const need of snapshot.needs) {
    const request = need.kind === 'approval' ? need.approval : need.question;
    if (request.handle !== handle.id || request.parent !== undefined) continue;
    if (need.kind === 'question') return { context: '<question>', subject: { question: need.question.id } };
    const isWhole = isWholeInRow(need.approval) && need.approval.title === handle.title;
    return {
      context: `<approval>${isWhole ? '<whole>' : '<part>'}`,
      subject: { approval: need.approval.id },
    };
  }
  return undefined;
}

/** How it stands, in words. A stop is never called a denial, and a denial never an error. */
export function handleWords(handle: Handle): string {
  switch (handle.state) {
    case 'waiting':
      return handle.waitsFor === 'answer'
        ? l10n.t('waits for your answer')
        : l10n.t('waits for your approval');
    case 'held':
      return l10n.t('held by the pause');
    case 'running':
      return handle.kind === 'terminal' ? l10n.t('terminal') : l10n.t('running');
    case 'ended':
      return endWords(handle);
  }
}

function endWords(handle: Handle): string {
  switch (handle.end) {
    case 'exited':
      return handle.exitCode === 0 ? l10n.t('done') : l10n.t('exited with {0}', handle.exitCode ?? '?');
    case 'signalled':
      return l10n.t('ended by {0}', handle.signal ?? '?');
    case 'timed_out':
      return l10n.t('ran out of time');
    case 'stopped':
      return l10n.t('stopped');
    case 'host_paused':
      return l10n.t('ended by the pause');
    case 'lost':
      return l10n.t('ended with the host: what it had done is unknown');
    case 'failed':
      return l10n.t('failed');
    case 'denied':
      return l10n.t('denied');
    case 'expired':
      return l10n.t('lapsed: nobody answered');
    case 'answered':
      return l10n.t('answered');
    case 'unserved':
      return l10n.t('nobody was there to serve it');
    case 'withdrawn':
      return l10n.t('withdrawn: it never ran');
    case 'completed':
    case undefined:
      return l10n.t('done');
  }
}

function handleIcon(handle: Handle): string {
  if (handle.state === 'waiting') return handle.waitsFor === 'answer' ? 'question' : 'bell-dot';
  if (handle.state === 'held') return 'debug-pause';
  if (handle.state === 'running') return handle.kind === 'terminal' ? 'terminal' : 'server-process';
  switch (handle.end) {
    case 'exited':
      return handle.exitCode === 0 ? 'check' : 'error';
    case 'signalled':
    case 'timed_out':
    case 'failed':
      return 'error';
    case 'stopped':
    case 'withdrawn':
      return 'stop-circle';
    case 'host_paused':
      return 'debug-pause';
    case 'lost':
    case 'unserved':
      return 'debug-disconnect';
    case 'denied':
    case 'expired':
      return 'circle-slash';
    case 'completed':
    case 'answered':
    case undefined:
      return 'check';
  }
}

function iconColor(handle: Handle): string | undefined {
  if (handle.state === 'waiting') return NEEDS_COLOR;
  return handle.state === 'ended' && handleIcon(handle) === 'error' ? FAILED_COLOR : undefined;
}

function tooltip(handle: Handle, words: string, session: string): string {
  const facts = [
    `${handle.id} · ${words}`,
    `${l10n.t('Folder')}: ${plain(handle.folder)}`,
    `${l10n.t('Session')}: ${plain(session)}`,
    `${l10n.t('Since')}: ${timeOfDay(handle.startedAt)}`,
    ...(handle.lifted ? [l10n.t('A message moved it to the background.')] : []),
  ];
  return `${fenced(handle.title, '', 20)}\n\n${facts.join('  \n')}`;
}
