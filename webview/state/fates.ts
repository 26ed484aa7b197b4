/** What became of a request that could not be answered any more, as a sentence (A2). */
import { t } from '../strings';
import { clock } from '../text/words';
import { numberOf, textOf, type RequestRefused } from './values';
import { said } from '../said';

export interface Fate {
  readonly id: string;
  readonly text: string;
  /** True for news that is no trouble: a rule that was written. */
  readonly good: boolean;
}

export function fateText(title: string, error: RequestRefused): string {
  const by = textOf(error.data, 'by');
  const at = numberOf(error.data, 'at');
  const time = at === undefined ? '' : clock(at);
  switch (error.code) {
    case 'approval_answered':
      return t(textOf(error.data, 'decision') === 'deny' ? 'fate.denied' : 'fate.allowed', {
        title,
        by: said(by ?? '?'),
        time,
      });
    case 'question_answered':
      return by === undefined
        ? t('fate.answeredPlain', { title })
        : t('fate.answered', { title, by: said(by), time });
    case 'approval_superseded':
      return t('fate.superseded', { title });
    case 'approval_lapsed':
    case 'question_lapsed':
      return t('fate.lapsed', { title });
    case 'approval_withdrawn':
    case 'question_withdrawn':
      return t('fate.withdrawn', { title });
    case 'approval_unknown':
    case 'question_unknown':
      return t('fate.unknown', { title });
    default:
      return t('fate.other', { title, detail: error.message });
  }
}
