import type { Offer } from '../../protocol/approval';
import * as app from '../state/app';
import type { Scope } from '../state/answering';
import { t } from '../strings';
import { Icon } from './icon';
import { Menu } from './menu';
import { said } from '../said';

/** A folder of the workspace by its name, where only one has it. */
function inWords(label: string): string {
  const folders = app.editor.value?.folders ?? [];
  const named = folders.find(({ path }) => label.endsWith(` in ${path}`));
  if (named === undefined || folders.filter(({ name }) => name === named.name).length > 1) return label;
  return label.slice(0, -named.path.length) + named.name;
}

interface AllowButtonsProps {
  readonly offers: readonly (Pick<Offer, 'scope' | 'label'> & Partial<Pick<Offer, 'match'>>)[];
  readonly usable: boolean;
  readonly allow: (scope: Scope, match?: Offer['match']) => void;
  readonly label?: string;
}

/** Allow once, or with a rule whose words say exactly what it will cover. */
export function AllowButtons({ offers, usable, allow, label = t('request.allow') }: AllowButtonsProps) {
  const more = offers.map((offer, index) => ({
    key: `${offer.scope}${index}`,
    label: t(offer.scope === 'session' ? 'request.allowSession' : 'request.allowWorkspace', {
      label: inWords(said(offer.label)),
    }),
    pick: () => allow(offer.scope, offer.match),
  }));
  return (
    <span class="split">
      <button type="button" class="button allow" disabled={!usable} onClick={() => allow('once')}>
        {label}
      </button>
      {more.length > 0 && (
        <Menu
          label={t('request.allowMore')}
          class="button split-more"
          disabled={!usable}
          items={[{ key: 'once', label: t('request.allowOnce'), pick: () => allow('once') }, ...more]}
        >
          <Icon name="chevron-down" />
        </Menu>
      )}
    </span>
  );
}
