/** An @ in the text: looks for files while the name is written, and attaches the one that is chosen. */
import type { TargetedKeyboardEvent } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { command } from '../bridge';
import * as app from '../state/app';
import { later } from '../state/clock';
import { addContext, withDraft, type Draft } from '../state/drafts';
import { mentionAt, withoutMention, type Found } from '../state/mention';

/** A pause in the writing after which the editor is asked, ms. */
const ASK_MS = 60;

export interface MentionUse {
  readonly items: readonly Found[];
  readonly active: number;
  /** Looks at the caret. */
  readonly look: () => void;
  /** True when the key was for the list. */
  readonly keys: (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => boolean;
  readonly pick: (item: Found) => void;
  readonly close: () => void;
}

export function useMention(
  field: { readonly current: HTMLTextAreaElement | null },
  draft: Draft,
): MentionUse {
  const [active, setActive] = useState(0);
  const waiting = useRef<(() => void) | undefined>(undefined);
  const mention = app.mention.value;
  const found = app.filesFound.value;
  // Without an @ there is no query, and no query of an answer is none.
  const items = mention?.query === found.query ? found.items : [];

  const close = () => {
    waiting.current?.();
    app.mention.value = undefined;
  };
  const look = () => {
    const caret = field.current?.selectionStart ?? 0;
    const next = mentionAt(field.current?.value ?? '', caret);
    app.mention.value = next;
    setActive(0);
    waiting.current?.();
    if (next !== undefined) {
      waiting.current = later(ASK_MS, () => command({ command: 'findFiles', args: { query: next.query } }));
    }
  };
  const pick = (item: Found) => {
    if (mention === undefined) return;
    const text = withoutMention(draft.text, mention);
    const added = addContext({ ...draft, text }, [
      { kind: item.folder ? 'folder' : 'file', path: item.path },
    ]);
    app.drafts.value = withDraft(app.drafts.peek(), app.shown.peek(), added);
    close();
    if (field.current === null) return;
    field.current.value = text;
    field.current.setSelectionRange(mention.from, mention.from);
  };
  const keys = (event: TargetedKeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (items.length === 0) return false;
    const item = items[Math.min(active, items.length - 1)];
    if (event.key === 'ArrowDown') setActive((active + 1) % items.length);
    else if (event.key === 'ArrowUp') setActive((active + items.length - 1) % items.length);
    else if (event.key === 'Escape') close();
    else if ((event.key === 'Enter' || event.key === 'Tab') && item !== undefined) pick(item);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { items, active: Math.min(active, Math.max(0, items.length - 1)), look, keys, pick, close };
}
