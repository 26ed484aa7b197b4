/** One look for each state, the same as in the trees: an icon and words, never a colour alone. */
import type { Snapshot } from '../../protocol/host';
import type { Handle } from '../../protocol/handle';
import type { Session } from '../../protocol/session';
import type { CallPart } from '../../protocol/transcript';
import { needOf } from '../state/mirror';
import { isRecord, numberOf } from '../state/values';
import { isStringKey, t } from '../strings';

export interface Look {
  readonly icon: string;
  readonly words: string;
  readonly spin?: boolean;
  /** A class that colours the icon. */
  readonly tone: 'needs' | 'runs' | 'good' | 'bad' | 'quiet' | 'paused';
}

/** What is shown of a handle; `runningAt` is missing for what has never run. */
export type HandleNow = Pick<
  Handle,
  'id' | 'kind' | 'state' | 'waitsFor' | 'end' | 'exitCode' | 'signal' | 'runningAt' | 'endedAt'
>;

export function callLook(call: CallPart, handle: HandleNow | undefined): Look {
  switch (call.state) {
    case 'planned':
      return { icon: 'circle-outline', words: t('call.planned'), tone: 'quiet' };
    case 'asking':
      return call.asks === 'answer'
        ? { icon: 'question', words: t('call.asking.answer'), tone: 'needs' }
        : { icon: 'bell-dot', words: t('call.asking.approval'), tone: 'needs' };
    case 'allowed':
      return { icon: 'clock', words: t('call.allowed'), tone: 'quiet' };
    case 'running':
      return { icon: 'sync', spin: true, words: t('call.running'), tone: 'runs' };
    case 'lifted':
      return handle === undefined
        ? { icon: 'server-process', words: t('call.lifted'), tone: 'quiet' }
        : handleLook(handle);
    case 'completed':
      return exitCode(call) === undefined
        ? { icon: 'check', words: t('call.completed'), tone: 'good' }
        : { icon: 'error', words: t('call.failed'), tone: 'bad' };
    case 'failed':
      return failedLook(call);
    case 'denied':
      return deniedLook(call);
  }
}

function failedLook(call: CallPart): Look {
  switch (errorCode(call)) {
    case 'cancelled':
    case 'stopped':
      return { icon: 'stop-circle', words: t('handle.stopped'), tone: 'quiet' };
    case 'host_paused':
      return { icon: 'debug-pause', words: t('handle.host_paused'), tone: 'paused' };
    case 'lost':
    case 'outcome_unknown':
      return { icon: 'debug-disconnect', words: t('call.unknown'), tone: 'bad' };
    default:
      return { icon: 'error', words: t('call.failed'), tone: 'bad' };
  }
}

function deniedLook(call: CallPart): Look {
  switch (errorCode(call)) {
    case 'approval_lapsed':
      return { icon: 'clock', words: t('call.lapsed'), tone: 'quiet' };
    case 'withdrawn':
      return { icon: 'circle-slash', words: t('call.withdrawn'), tone: 'quiet' };
    default:
      return { icon: 'circle-slash', words: t('call.denied'), tone: 'quiet' };
  }
}

export function errorCode(call: CallPart): string | undefined {
  const result = call.result;
  return isRecord(result) && typeof result['error'] === 'string' ? result['error'] : undefined;
}

/** The exit code of a command that ended by itself, and not well. */
export function exitCode(call: CallPart): number | undefined {
  const code = isRecord(call.result) ? numberOf(call.result, 'exit_code') : undefined;
  return code === 0 || errorCode(call) !== undefined ? undefined : code;
}

export function handleLook(handle: HandleNow): Look {
  const icon = handle.kind === 'terminal' ? 'terminal' : 'server-process';
  switch (handle.state) {
    case 'waiting':
      return handle.waitsFor === 'answer'
        ? { icon: 'question', words: t('handle.waiting.answer'), tone: 'needs' }
        : { icon: 'bell-dot', words: t('handle.waiting.approval'), tone: 'needs' };
    case 'held':
      return { icon: 'debug-pause', words: t('handle.held'), tone: 'paused' };
    case 'running':
      return { icon, words: t('handle.running'), tone: 'runs' };
    case 'ended':
      return endedLook(handle);
  }
}

function endedLook(handle: HandleNow): Look {
  const key = `handle.${handle.end ?? 'completed'}`;
  const words = isStringKey(key) ? t(key, { code: handle.exitCode ?? 0, signal: handle.signal ?? '?' }) : key;
  const good = handle.end === 'completed' || handle.end === 'answered' || handle.exitCode === 0;
  if (good) return { icon: 'check', words, tone: 'good' };
  if (handle.end === 'denied' || handle.end === 'expired' || handle.end === 'withdrawn') {
    return { icon: 'circle-slash', words, tone: 'quiet' };
  }
  if (handle.end === 'stopped') return { icon: 'stop-circle', words, tone: 'quiet' };
  if (handle.end === 'host_paused') return { icon: 'debug-pause', words, tone: 'paused' };
  if (handle.end === 'lost') return { icon: 'debug-disconnect', words, tone: 'bad' };
  return { icon: 'error', words, tone: 'bad' };
}

export function sessionLook(session: Session, snapshot: Snapshot, live: boolean): Look {
  const needs = snapshot.needs.filter((need) => needOf(need).session === session.id);
  if (needs.length > 0) {
    const icon = needs.every(({ kind }) => kind === 'question') ? 'question' : 'bell-dot';
    return { icon, words: t('session.needs'), tone: 'needs' };
  }
  switch (session.state) {
    case 'queued':
      return { icon: 'clock', words: t('session.queued'), tone: 'quiet' };
    case 'running':
      return snapshot.host.paused
        ? { icon: 'debug-pause', words: t('session.paused'), tone: 'paused' }
        : { icon: 'sync', spin: live, words: t('session.running'), tone: 'runs' };
    case 'waiting':
      return { icon: 'clock', words: t('session.waiting'), tone: 'quiet' };
    case 'paced':
      return { icon: 'clock', words: t('session.paced'), tone: 'quiet' };
    case 'paused':
      return { icon: 'debug-pause', words: t('session.paused'), tone: 'paused' };
    case 'idle':
      return idleLook(session);
  }
}

function idleLook(session: Session): Look {
  switch (session.ended?.status) {
    case 'completed':
      return { icon: 'check', words: t('session.done'), tone: 'good' };
    case 'failed':
      return { icon: 'error', words: t('session.failed'), tone: 'bad' };
    case 'interrupted':
      return { icon: 'stop-circle', words: t('session.interrupted'), tone: 'quiet' };
    default:
      return { icon: 'comment', words: t('session.idle'), tone: 'quiet' };
  }
}
