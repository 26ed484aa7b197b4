/**
 * What the page keeps of itself over reloads: nothing that the host knows. It is read back with care, because an
 * older version of the page may have written it; what does not fit is dropped.
 */
import type { Context, Delivery, Image } from '../../protocol/message';
import type { SessionId } from '../../protocol/ids';
import type { Mode } from '../../protocol/session';
import type { Place } from './layout';
import { EMPTY_DRAFT, type Draft, type Drafts, type Outgoing } from './drafts';
import { isRecord, numberOf, textOf } from './values';

/** What the person chose for the next new session. */
export interface Choices {
  readonly model?: string;
  /** An outside agent, instead of a model. */
  readonly harness?: string;
  readonly mode?: Mode;
  readonly folder?: string;
}

export interface PageState {
  /** When it was kept. */
  readonly at: number;
  /** The id under which the extension keeps what is written here. */
  readonly page: string;
  readonly session?: SessionId;
  readonly drafts: Drafts;
  readonly outgoing: readonly Outgoing[];
  /** Where the person reads, by session: the row at the upper edge. Absent: at the end. */
  readonly places: Readonly<Record<string, Place>>;
  /** Keys of cards that the person has opened or closed. */
  readonly cards: Readonly<Record<string, boolean>>;
  readonly choices: Choices;
  /** Reasons and answers that the person is writing, by request. */
  readonly replies: Readonly<Record<string, string>>;
}

const NO_PAGE_STATE: Omit<PageState, 'page'> = {
  at: 0,
  drafts: {},
  outgoing: [],
  places: {},
  cards: {},
  choices: {},
  replies: {},
};

/** Cards and places that are remembered; the oldest are forgotten. */
export const REMEMBERED = 256;

export function readPage(stored: unknown): PageState {
  if (!isRecord(stored)) return { ...NO_PAGE_STATE, page: crypto.randomUUID() };
  const session = stored['session'];
  return {
    ...(isSession(session) ? { session } : {}),
    at: numberOf(stored, 'at') ?? 0,
    page: textOf(stored, 'page') ?? crypto.randomUUID(),
    drafts: recordOf(stored['drafts'], readDraft),
    outgoing: listOf(stored['outgoing'], readOutgoing),
    places: recordOf(stored['places'], readPlace),
    cards: recordOf(stored['cards'], (value) => (typeof value === 'boolean' ? value : undefined)),
    choices: readChoices(stored['choices']),
    replies: recordOf(stored['replies'], (value) => (typeof value === 'string' ? value : undefined)),
  };
}

/** Keeps the newest entries of a record that only grows. */
export function newest<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  const entries = Object.entries(record);
  return entries.length <= REMEMBERED ? record : Object.fromEntries(entries.slice(-REMEMBERED));
}

function readDraft(value: unknown): Draft | undefined {
  if (!isRecord(value)) return undefined;
  return {
    text: textOf(value, 'text') ?? '',
    images: listOf(value['images'], (image) => (isImage(image) ? image : undefined)),
    context: listOf(value['context'], (context) => (isContext(context) ? context : undefined)),
  };
}

function readOutgoing(value: unknown): Outgoing | undefined {
  if (!isRecord(value)) return undefined;
  const clientId = textOf(value, 'clientId');
  const session = value['session'];
  const delivery = value['delivery'];
  if (clientId === undefined || !isDelivery(delivery)) return undefined;
  const draft = readDraft(value['draft']) ?? EMPTY_DRAFT;
  return { clientId, draft, delivery, ...(isSession(session) ? { session } : {}) };
}

function readPlace(value: unknown): Place | undefined {
  if (!isRecord(value)) return undefined;
  const row = textOf(value, 'row');
  return row === undefined ? undefined : { row, offset: numberOf(value, 'offset') ?? 0 };
}

function readChoices(value: unknown): Choices {
  if (!isRecord(value)) return {};
  const model = textOf(value, 'model');
  const harness = textOf(value, 'harness');
  const folder = textOf(value, 'folder');
  const mode = value['mode'];
  return {
    ...(model === undefined ? {} : { model }),
    ...(harness === undefined ? {} : { harness }),
    ...(folder === undefined ? {} : { folder }),
    ...(isMode(mode) ? { mode } : {}),
  };
}

function recordOf<T>(value: unknown, read: (entry: unknown) => T | undefined): Readonly<Record<string, T>> {
  if (!isRecord(value)) return {};
  const out: Record<string, T> = {};
  for (const [key, entry] of Object.entries(value)) {
    const good = read(entry);
    if (good !== undefined) out[key] = good;
  }
  return out;
}

function listOf<T>(value: unknown, read: (entry: unknown) => T | undefined): readonly T[] {
  return Array.isArray(value) ? value.map(read).filter((entry) => entry !== undefined) : [];
}

function isSession(value: unknown): value is SessionId {
  return typeof value === 'string' && value !== '';
}

function isDelivery(value: unknown): value is Delivery {
  return value === 'steer' || value === 'queue' || value === 'reject';
}

export function isMode(value: unknown): value is Mode {
  return value === 'ask' || value === 'edits' || value === 'full';
}

function isImage(value: unknown): value is Image {
  return isRecord(value) && isMediaType(value['mediaType']) && typeof value['data'] === 'string';
}

export function isMediaType(value: unknown): value is Image['mediaType'] {
  return value === 'image/png' || value === 'image/jpeg' || value === 'image/gif' || value === 'image/webp';
}

function isContext(value: unknown): value is Context {
  return isRecord(value) && typeof value['kind'] === 'string' && typeof value['path'] === 'string';
}
