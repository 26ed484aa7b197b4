import * as app from '../state/app';
import { t } from '../strings';
import { IconButton } from './icon';
import { ModelMenu } from './modelMenu';
import { ModeMenu } from './modeMenu';
import { SessionMenu } from './sessionMenu';
import { UsageFigure } from './usage';

/** Which session this is, with whom, how freely it works, and what it has cost. */
export function Header() {
  return (
    <header class="header">
      <div class="header-row">
        <h1 class="session-heading">
          <SessionMenu />
        </h1>
        {app.shown.value !== undefined && (
          <IconButton
            icon="search"
            label={t('find.open')}
            onClick={() => {
              app.finding.value = true;
              app.findAsked.value++;
            }}
          />
        )}
      </div>
      <div class="header-row pickers">
        <ModelMenu />
        <ModeMenu />
        <UsageFigure />
      </div>
    </header>
  );
}
