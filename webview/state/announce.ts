/** What a screen reader is told, once, when it happens: what needs the person and how things end. */
import type { BelayEvent } from '../../protocol/events';
import { isStringKey, t } from '../strings';
import { revealed } from '../../protocol/reveal';

/** Requests that were told of, by id and number. */
const told = new Set<string>();

export function announcement(event: BelayEvent, shown: string | undefined): string | undefined {
  if (event.type === 'approval_requested' || event.type === 'question_asked') {
    // Only a new number is a new request, whose verdict was dropped (A4): what is renewed under its own was told of.
    const request = event.type === 'approval_requested' ? event.data.request : 1;
    const key = `${event.data.id}/${request}`;
    if (told.has(key)) return undefined;
    if (event.session === shown) told.add(key);
  }
  if (event.type === 'host_paused') return t('say.paused');
  if (event.type === 'host_resumed') return t('say.resumed');
  if (event.session !== shown) return undefined;
  if (event.type === 'approval_requested') return t('say.approval', { title: briefly(event.data.title) });
  if (event.type === 'question_asked') return t('say.question', { title: briefly(event.data.title) });
  if (event.type !== 'turn_ended') return undefined;
  if (event.data.status === 'completed') return t('say.completed');
  if (event.data.status === 'failed') return t('say.failed', { detail: codeText(event.data.code) });
  return t('say.interrupted');
}

/** Characters of a request that are read aloud; the whole is in the bar. */
const SPOKEN = 100;

function briefly(title: string): string {
  const shown = revealed(title);
  return shown.length <= SPOKEN ? shown : `${shown.slice(0, SPOKEN)}…`;
}

/** The sentence for the code with which a turn ended. */
export function codeText(code: string | undefined): string {
  const key = `turn.${code ?? 'interrupted'}`;
  return isStringKey(key) ? t(key) : t('turn.interrupted');
}
