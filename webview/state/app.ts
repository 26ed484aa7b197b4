/**
 * What the page shows, as signals. Components read them; only `wire.ts` and the files of actions write them.
 */
import { computed, signal } from '@preact/signals';
import type { EditorState } from '../bridgeProtocol';
import type { HarnessInfo } from '../../protocol/harness';
import type { ModelInfo } from '../../protocol/host';
import type { SessionId } from '../../protocol/ids';
import type { Session } from '../../protocol/session';
import { readPageState, writePageState } from '../bridge';
import { t } from '../strings';
import { consequence, type Choice } from './delivery';
import { draftOf } from './drafts';
import type { Fate } from './fates';
import { matchesOf } from './find';
import type { Found, Mention } from './mention';
import { needOf, sessionOf, type Mirror } from './mirror';
import { readPage } from './persisted';
import { rowsOf } from './rows';
import { NO_REQUESTS } from './requestOrder';
import type { RequestRefused } from './values';
import { windowFill } from './window';

const kept = readPage(readPageState());

/** When what follows was kept, ms since 1970. */
export const keptAt = kept.at;
/** Kept at once, before anything is written under it. */
export const page = kept.page;
writePageState(kept);
export const editor = signal<EditorState | undefined>(undefined);
export const mirror = signal<Mirror | undefined>(undefined);
export const syncFailure = signal<RequestRefused | undefined>(undefined);
export const loadingOlder = signal(false);
export const models = signal<readonly ModelInfo[]>([]);
export const harnesses = signal<readonly HarnessInfo[]>([]);

export const shown = signal<SessionId | undefined>(kept.session);
export const drafts = signal(kept.drafts);
export const outgoing = signal(kept.outgoing);
export const places = signal(kept.places);
export const cards = signal(kept.cards);
export const choices = signal(kept.choices);

/** Why the newest message was not sent, by session. */
export const sendFailures = signal<Readonly<Record<string, string>>>({});
export const delivery = signal<Choice>('steer');
export const stopping = signal<string | undefined>(undefined);

export const requestOrder = signal(NO_REQUESTS);
/** Requests whose verdict or answer is on its way. */
export const inFlight = signal<ReadonlySet<string>>(new Set());
export const fates = signal<readonly Fate[]>([]);
/** The reason or answer that the person is writing, by request. */
export const replies = signal(kept.replies);
export type RequestField = 'reason' | 'command';
/** Requests with an open field: for the reason of a denial, or to change the command. */
export const openFields = signal<ReadonlyMap<string, RequestField>>(new Map());

/** What the one live region speaks, each once; the numbers make equal texts differ. */
export const said = signal<readonly { readonly text: string; readonly number: number }[]>([]);
/** Texts that stay in the live region: more than can come in one frame. */
const SAID_KEPT = 4;
/** Grows when the person asked to be taken to the composer or to the request in front. */
export const focusAsked = signal<{
  readonly target: 'composer' | 'request' | 'none';
  readonly number: number;
}>({
  target: 'none',
  number: 0,
});
export const atEnd = signal(true);
/** The search within the session: whether it is open, for what, and which match is shown. */
export const finding = signal(false);
export const findAsked = signal(0);
export const findQuery = signal('');
export const found = signal<string | undefined>(undefined);
/** What is written after an @ at the caret, and the files that were found for it. */
export const mention = signal<Mention | undefined>(undefined);
export const filesFound = signal<{ readonly query: string; readonly items: readonly Found[] }>({
  query: '',
  items: [],
});
/** A row that the person asked to be taken to; it may have to be read first. */
export const wanted = signal<{ readonly row: string } | undefined>(undefined);

/** A shown session that is too old for the host's list, read by itself; `gone` when there is no such session. */
export const lookedUp = signal<{ readonly id: string; readonly session: Session | 'gone' } | undefined>(
  undefined,
);

/** Lists keep their identity while text streams, so that a delta draws the text anew and nothing else. */
export const snapshot = computed(() => mirror.value?.snapshot);
export const transcript = computed(() => mirror.value?.transcript);
/** The turns of the shown session, as far as they were read. */
export const turnsHere = computed(() => {
  const read = transcript.value;
  return read?.session === shown.value ? read : undefined;
});
const turnViews = computed(() => turnsHere.value?.turns ?? []);
/** How full the window of the model at work is. */
export const windowFilled = computed(() => {
  const agent = session.value?.agent;
  return windowFill(turnViews.value, agent?.kind === 'model' ? agent.model : undefined, models.value);
});
export const rows = computed(() => rowsOf(turnViews.value));
export const matches = computed(() => (finding.value ? matchesOf(rows.value, findQuery.value) : []));
/** The message that the person wrote last, of those that were read. */
export const lastMessage = computed(() => {
  for (const view of [...turnViews.value].reverse()) {
    const part = view.parts.findLast((one) => one.kind === 'message');
    if (part?.kind === 'message') return part.message;
  }
  return undefined;
});
const allNeeds = computed(() => snapshot.value?.needs ?? []);
const allUnread = computed(() => snapshot.value?.unread ?? []);

export const session = computed(() => sessionOf(snapshot.value, shown.value) ?? looked(shown.value));
/** The page shows a session that was deleted. */
export const gone = computed(
  () =>
    session.value === undefined && lookedUp.value?.id === shown.value && lookedUp.value?.session === 'gone',
);
export const needs = computed(() => allNeeds.value.filter((need) => needOf(need).session === shown.value));
export const needsElsewhere = computed(() =>
  allNeeds.value.filter((need) => needOf(need).session !== shown.value),
);
export const busy = computed(() => session.value !== undefined && session.value.state !== 'idle');
/** What a message would do now, as a sentence. */
export const outlook = computed(() => {
  if (!trusted.value) return t('composer.line.restricted');
  const said = consequence(mirror.value, shown.value, delivery.value);
  return said === undefined ? t('composer.line.idle') : t(said.key, said.values);
});
export const draft = computed(() => draftOf(drafts.value, shown.value));
export const paused = computed(() => snapshot.value?.host.paused === true);
export const trusted = computed(() => editor.value?.trusted !== false);
export const hostReady = computed(() => editor.value?.hostState === 'ready');
export const unread = computed(() => allUnread.value.filter((message) => message.session === shown.value));

function looked(id: string | undefined): Session | undefined {
  const found = lookedUp.value;
  return found === undefined || found.id !== id || found.session === 'gone' ? undefined : found.session;
}

export function say(text: string): void {
  const before = said.peek();
  said.value = [...before, { text, number: (before.at(-1)?.number ?? 0) + 1 }].slice(-SAID_KEPT);
}

export function takeTo(target: 'composer' | 'request'): void {
  focusAsked.value = { target, number: focusAsked.value.number + 1 };
}
