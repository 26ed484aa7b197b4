import type { Approval } from '../../protocol/approval';
import type { Scope } from '../state/answering';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu } from './menu';
import { said } from '../said';

interface AllowButtonsProps {
  readonly approval: Approval;
  readonly usable: boolean;
  readonly allow: (scope: Scope) => void;
}

/** Allow once, or with a rule whose words say exactly what it will cover. */
export function AllowButtons({ approval, usable, allow }: AllowButtonsProps) {
  const offers = approval.offers.map((offer, index) => ({
    key: `${offer.scope}${index}`,
    label: t(offer.scope === 'session' ? 'request.allowSession' : 'request.allowWorkspace', {
      label: said(offer.label),
    }),
    pick: () => allow(offer.scope),
  }));
  return (
    <span class="split">
      <button type="button" class="button allow" disabled={!usable} onClick={() => allow('once')}>
        {t('request.allow')}
      </button>
      {offers.length > 0 && (
        <Menu
          label={t('request.allowMore')}
          class="button split-more"
          disabled={!usable}
          items={[{ key: 'once', label: t('request.allowOnce'), pick: () => allow('once') }, ...offers]}
        >
          <Icon name="chevron-down" />
        </Menu>
      )}
    </span>
  );
}
