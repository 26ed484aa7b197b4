/**
 * What the person has written, kept at the extension as well, and at once: what VS Code keeps for a page is about a
 * second late, and lost when the window is reloaded before.
 *
 * Invariants: (1) nothing is told before the page was told what the extension has; (2) what was written since the page
 * was loaded is never put aside for what was kept; (3) pictures travel only when they have changed.
 */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import { tellWritten } from '../bridge';
import type { Image } from '../../protocol/message';
import type { WrittenParts } from '../bridgeProtocol';
import * as app from './app';
import { EMPTY_DRAFT } from './drafts';
import { readPage } from './persisted';
import { isRecord, numberOf } from './values';

type Entries<T> = Readonly<Record<string, T>>;

/** As the page was loaded. */
const loaded = {
  drafts: app.drafts.peek(),
  replies: app.replies.peek(),
  outgoing: app.outgoing.peek(),
};

/** Takes what the extension has kept, unless the page itself knows what was written later. */
export function takeWritten({ texts, pictures }: WrittenParts): void {
  if (!isRecord(texts) || (numberOf(texts, 'at') ?? 0) < app.keptAt) return;
  const kept = readPage({ ...texts, drafts: withPictures(texts['drafts'], pictures) });
  app.drafts.value = merged(loaded.drafts, app.drafts.peek(), kept.drafts);
  app.replies.value = merged(loaded.replies, app.replies.peek(), kept.replies);
  const had = new Set(loaded.outgoing);
  app.outgoing.value = [...kept.outgoing, ...app.outgoing.peek().filter((message) => !had.has(message))];
}

/** Tells the extension of everything that is written from now on, once `mayTell`. */
export function keepWritten(mayTell: ReadonlySignal<boolean>): void {
  effect(() => {
    if (!mayTell.value) return;
    const drafts = Object.entries(app.drafts.value).map(
      ([key, { images: _images, ...words }]) => [key, words] as const,
    );
    tellWritten('texts', {
      at: Date.now(),
      drafts: Object.fromEntries(drafts),
      replies: app.replies.value,
      outgoing: app.outgoing.value,
    });
  });
  let before: Entries<readonly Image[]> = {};
  const pictures = computed(() => (before = sameOr(before, picturesNow())));
  effect(() => {
    if (mayTell.value) tellWritten('pictures', pictures.value);
  });
}

function picturesNow(): Entries<readonly Image[]> {
  const entries = Object.entries(app.drafts.value).filter(([, { images }]) => images.length > 0);
  return Object.fromEntries(entries.map(([key, { images }]) => [key, images]));
}

function sameOr<T>(before: Entries<T>, now: Entries<T>): Entries<T> {
  const keys = Object.keys(now);
  const same = keys.length === Object.keys(before).length && keys.every((key) => now[key] === before[key]);
  return same ? before : now;
}

function withPictures(drafts: unknown, pictures: unknown): Entries<unknown> {
  const words = isRecord(drafts) ? drafts : {};
  const images = isRecord(pictures) ? pictures : {};
  const keys = [...new Set([...Object.keys(words), ...Object.keys(images)])];
  return Object.fromEntries(
    keys.map((key) => {
      const draft = words[key];
      return [key, { ...(isRecord(draft) ? draft : EMPTY_DRAFT), images: images[key] }];
    }),
  );
}

/** By entry: what has changed since the page was loaded is the page's, everything else as it was kept. */
function merged<T>(before: Entries<T>, now: Entries<T>, kept: Entries<T>): Entries<T> {
  const out: Record<string, T> = {};
  for (const key of new Set([...Object.keys(kept), ...Object.keys(now)])) {
    const value = now[key] === before[key] ? kept[key] : now[key];
    if (value !== undefined) out[key] = value;
  }
  return out;
}
