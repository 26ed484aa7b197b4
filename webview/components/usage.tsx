import * as app from '../state/app';
import { t } from '../strings';
import { counted, dollars, tokens } from '../text/words';

/** What the shown session has used: tokens, and money where the price is known. */
export function UsageFigure() {
  const usage = app.session.value?.usage;
  if (usage === undefined || usage.inputTokens + usage.outputTokens === 0) return null;
  const figures = {
    input: counted(usage.inputTokens),
    cached: counted(usage.cachedTokens),
    output: counted(usage.outputTokens),
  };
  const label =
    usage.costUsd === undefined
      ? t('usage.label', figures)
      : t('usage.labelCost', { ...figures, cost: dollars(usage.costUsd) });
  const total = t('usage.tokens', { count: tokens(usage.inputTokens + usage.outputTokens) });
  return (
    <span class="usage" role="img" aria-label={label} title={label}>
      {usage.costUsd === undefined ? total : `${total} · ${dollars(usage.costUsd)}`}
    </span>
  );
}
