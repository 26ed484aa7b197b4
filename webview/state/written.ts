/**
 * What the person has written, kept twice more, and at once: what VS Code keeps for a page is about a second late, and
 * lost when the window is reloaded before. The extension has it on disk; but a busy window may end before the last keys
 * have reached it, and of those the browser's own storage knows.
 *
 * Invariants: (1) nothing is told before the page was told what the extension has; (2) what was written since the page
 * was loaded is never put aside for what was kept; (3) pictures travel only when they have changed, those of messages
 * on their way too; (4) a message is sent again with all of its pictures, or goes back to the composer.
 */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import { tellWritten } from '../bridge';
import type { Image } from '../../protocol/message';
import type { WrittenParts } from '../bridgeProtocol';
import * as app from './app';
import { EMPTY_DRAFT, giveBack, type Outgoing } from './drafts';
import { newest, readPage } from './persisted';
import { isRecord, numberOf, textOf } from './values';

type Entries<T> = Readonly<Record<string, T>>;

/** As the page was loaded. */
const loaded = {
  drafts: app.drafts.peek(),
  replies: app.replies.peek(),
  outgoing: app.outgoing.peek(),
};

/** Takes what the extension has kept, unless the page itself knows what was written later. */
export function takeWritten({ texts: told, pictures }: WrittenParts): void {
  const own = ownTexts();
  const texts = isRecord(own) && whenOf(own) >= whenOf(told) ? own : told;
  if (!isRecord(texts) || whenOf(texts) < app.keptAt) return;
  const kept = readPage({
    ...texts,
    drafts: withPictures(texts['drafts'], pictures),
    outgoing: listOf(texts['outgoing']).map((message) => outgoingWithPictures(message, pictures)),
  });
  app.drafts.value = merged(loaded.drafts, app.drafts.peek(), kept.drafts);
  app.replies.value = merged(loaded.replies, app.replies.peek(), kept.replies);
  const had = new Set(loaded.outgoing);
  const isWhole = wholeIn(texts);
  for (const { session, draft } of kept.outgoing.filter((message) => !isWhole(message)))
    app.drafts.value = giveBack(app.drafts.peek(), session, draft);
  app.outgoing.value = [
    ...kept.outgoing.filter(isWhole),
    ...app.outgoing.peek().filter((message) => !had.has(message)),
  ];
}

/** Tells the extension of everything that is written from now on, once `mayTell`. */
export function keepWritten(mayTell: ReadonlySignal<boolean>): void {
  effect(() => {
    if (!mayTell.value) return;
    const drafts = Object.entries(newest(app.drafts.value)).map(
      ([key, { images: _images, ...words }]) => [key, words] as const,
    );
    const outgoing = app.outgoing.value.map(({ draft: { images, ...words }, ...message }) => ({
      ...message,
      draft: words,
      images: images.length,
    }));
    const texts = {
      at: Date.now(),
      drafts: Object.fromEntries(drafts),
      replies: newest(app.replies.value),
      outgoing,
    };
    keepOwnTexts(texts);
    tellWritten('texts', texts);
  });
  let before: Entries<readonly Image[]> = {};
  const pictures = computed(() => (before = sameOr(before, picturesNow())));
  effect(() => {
    if (mayTell.value) tellWritten('pictures', pictures.value);
  });
}

const ownKey = `belay.written.${app.page}`;

function ownTexts(): unknown {
  try {
    const texts: unknown = JSON.parse(localStorage.getItem(ownKey) ?? 'null');
    return texts;
  } catch {
    return undefined;
  }
}

/** Where the browser keeps nothing, or has no room left, the extension's word stands. */
function keepOwnTexts(texts: unknown): void {
  try {
    localStorage.setItem(ownKey, JSON.stringify(texts));
  } catch {
    // Told to the extension in any case.
  }
}

function picturesNow(): Entries<readonly Image[]> {
  const messages = app.outgoing.value.map(({ clientId, draft }) => [clientId, draft] as const);
  const entries = [...Object.entries(newest(app.drafts.value)), ...messages];
  const pictured = entries.filter(([, { images }]) => images.length > 0);
  return Object.fromEntries(pictured.map(([key, { images }]) => [key, images]));
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

function outgoingWithPictures(message: unknown, pictures: unknown): unknown {
  if (!isRecord(message)) return message;
  const images = isRecord(pictures) ? pictures[textOf(message, 'clientId') ?? ''] : undefined;
  return { ...message, draft: { ...(isRecord(message['draft']) ? message['draft'] : EMPTY_DRAFT), images } };
}

/** Words and pictures are written apart from each other: what went in between may have left a message without. */
function wholeIn(texts: Readonly<Record<string, unknown>>): (message: Outgoing) => boolean {
  const count = new Map(
    listOf(texts['outgoing'])
      .filter(isRecord)
      .map((one) => [one['clientId'], numberOf(one, 'images') ?? 0]),
  );
  return ({ clientId, draft }) => draft.images.length === count.get(clientId);
}

/** When this was kept, ms since 1970; 0 for what is none of ours. */
const whenOf = (texts: unknown): number => (isRecord(texts) ? (numberOf(texts, 'at') ?? 0) : 0);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** By entry: what has changed since the page was loaded is the page's, everything else as it was kept. */
function merged<T>(before: Entries<T>, now: Entries<T>, kept: Entries<T>): Entries<T> {
  const out: Record<string, T> = {};
  for (const key of new Set([...Object.keys(kept), ...Object.keys(now)])) {
    const value = now[key] === before[key] ? kept[key] : now[key];
    if (value !== undefined) out[key] = value;
  }
  return out;
}
