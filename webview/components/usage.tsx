import * as app from '../state/app';
import { summarise } from '../state/sending';
import { t } from '../strings';
import { counted, dollars, percent, tokens } from '../text/words';
import { Menu } from './menu';

/**
 * How full the model's window is, or where that is not known what the session has used in all, and money where the price
 * is known. The whole is said when it is pointed at; behind it the conversation can be summarised.
 */
export function UsageFigure() {
  const session = app.session.value;
  const usage = session?.usage;
  if (session === undefined || usage === undefined || usage.inputTokens + usage.outputTokens === 0)
    return null;
  const figures = {
    input: counted(usage.inputTokens),
    cached: counted(usage.cachedTokens),
    output: counted(usage.outputTokens),
  };
  const used =
    usage.costUsd === undefined
      ? t('usage.label', figures)
      : t('usage.labelCost', { ...figures, cost: dollars(usage.costUsd) });
  const fill = app.windowFilled.value;
  const full = fill === undefined ? undefined : percent(Math.min(1, fill.tokens / fill.of));
  const total = t('usage.tokens', { count: tokens(usage.inputTokens + usage.outputTokens) });
  const shown = full === undefined ? total : t('usage.window', { share: full });
  const window =
    fill === undefined || full === undefined
      ? []
      : [t('usage.windowLabel', { share: full, tokens: counted(fill.tokens), window: counted(fill.of) })];
  const label = [...window, used].join('\n');
  const figure = usage.costUsd === undefined ? shown : `${shown} · ${dollars(usage.costUsd)}`;
  if (session.agent.kind === 'harness')
    return (
      <span class="usage" role="img" aria-label={label} title={label}>
        {figure}
      </span>
    );
  const item = {
    key: 'summarise',
    icon: 'fold',
    label: t('usage.summarise'),
    detail: t('usage.summariseDetail'),
    disabled: !app.hostReady.value || !app.trusted.value,
    pick: () => summarise(session.id),
  };
  return (
    <Menu class="usage" label={label} items={[item]}>
      {figure}
    </Menu>
  );
}
