import * as app from '../state/app';
import { t } from '../strings';
import { dollars, tokens } from '../text/words';

/** What the shown session has used: tokens, and money where the price is known. */
export function UsageFigure() {
  const usage = app.session.value?.usage;
  if (usage === undefined || usage.inputTokens + usage.outputTokens === 0) return null;
  const figures = {
    input: usage.inputTokens.toLocaleString(),
    cached: usage.cachedTokens.toLocaleString(),
    output: usage.outputTokens.toLocaleString(),
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
