/** What a screen reader is told, once, when it happens: what needs the person and how things end. */
import type { BelayEvent } from '../../protocol/events';
import { isStringKey, t } from '../strings';
import { revealed } from '../../protocol/reveal';

export function announcement(event: BelayEvent, shown: string | undefined): string | undefined {
  if (event.type === 'host_paused') return t('say.paused');
  if (event.type === 'host_resumed') return t('say.resumed');
  if (event.session !== shown) return undefined;
  if (event.type === 'approval_requested') return t('say.approval', { title: revealed(event.data.title) });
  if (event.type === 'question_asked') return t('say.question', { title: revealed(event.data.title) });
  if (event.type !== 'turn_ended') return undefined;
  if (event.data.status === 'completed') return t('say.completed');
  if (event.data.status === 'failed') return t('say.failed', { detail: codeText(event.data.code) });
  return t('say.interrupted');
}

/** The sentence for the code with which a turn ended. */
export function codeText(code: string | undefined): string {
  const key = `turn.${code ?? 'interrupted'}`;
  return isStringKey(key) ? t(key) : t('turn.interrupted');
}
