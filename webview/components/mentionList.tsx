import type { Found } from '../state/mention';
import { t } from '../strings';
import { Icon } from './icon';
import { Shown } from './shown';

interface MentionListProps {
  readonly items: readonly Found[];
  readonly active: number;
  readonly pick: (item: Found) => void;
}

export const MENTION_LIST = 'mention-list';

export function mentionId(index: number): string {
  return `${MENTION_LIST}-${index}`;
}

/** Files that fit what was written after an @. It lies over the page, so nothing moves; the keys stay in the text. */
export function MentionList({ items, active, pick }: MentionListProps) {
  return (
    <ul class="mentions" id={MENTION_LIST} role="listbox" aria-label={t('composer.files')}>
      {items.map((item, index) => (
        <li
          key={item.path}
          id={mentionId(index)}
          role="option"
          class={index === active ? 'mention active' : 'mention'}
          aria-selected={index === active}
          // The focus stays in the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(item)}
        >
          <Icon name={item.folder ? 'folder' : 'file'} />
          <Shown text={item.name} class="mention-name" />
        </li>
      ))}
    </ul>
  );
}
