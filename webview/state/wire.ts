/** Connects the page: messages of the editor to the mirror, the mirror to the signals, the signals to the store. */
import { batch, computed, effect } from '@preact/signals';
import { ask, listen, tellShown, writePageState, type Told } from '../bridge';
import { setTranslations } from '../strings';
import { learnSentences } from '../said';
import { opened } from './active';
import { announcement } from './announce';
import { later } from './clock';
import { addContext, appendText, withDraft } from './drafts';
import { handOverEdits } from './edits';
import { forgetDeleted, forgetEnded } from './ended';
import { Frames } from './frames';
import { newest, type PageState } from './persisted';
import { bringToFront, orderRequests } from './requestOrder';
import { sessionOf, type Mirror } from './mirror';
import { Sync } from './sync';
import { resendOutgoing } from './sending';
import { keepWritten, takeWritten } from './written';
import * as app from './app';

const SAVE_MS = 200;

const frames = new Frames((mirror: Mirror) =>
  batch(() => {
    app.mirror.value = mirror;
    app.requestOrder.value = orderRequests(app.requestOrder.peek(), app.needs.peek());
    handOverEdits(mirror.snapshot);
    forgetEnded(mirror.snapshot);
    lookUp(mirror);
  }),
);

const sync = new Sync(ask, {
  mirror: (mirror, passing) => (passing ? frames.soon(mirror) : frames.now(mirror)),
  folded: (event) => {
    forgetDeleted(event);
    const text = announcement(event, app.shown.peek());
    if (text !== undefined) app.say(text);
  },
  loadingOlder: (loading) => (app.loadingOlder.value = loading),
  failed: (error) => (app.syncFailure.value = error),
  atEnd: () => app.atEnd.peek(),
});

/** Begins to listen. The first state of the editor starts everything else. */
export function connect(): void {
  effect(() => sync.show(app.shown.value));
  // Before it has been told what was shown last, the page shows nothing of its own accord.
  const isTold = computed(() => app.editor.value !== undefined);
  effect(() => {
    if (isTold.value) tellShown(app.shown.value);
  });
  keepPageState();
  keepWritten(isTold);
  listen(app.page, hear);
}

/** The session that was asked for last, since the lists were read. */
let lookingFor: string | undefined;

/**
 * The host lists its newest sessions; an older one that is shown is asked for once. Only the host's word that there is
 * none makes it gone: whatever else went wrong, it is asked for again with the next reading of the lists.
 */
function lookUp(mirror: Mirror): void {
  const id = app.shown.peek();
  if (id === undefined || sessionOf(mirror.snapshot, id) !== undefined) return;
  if (app.lookedUp.peek()?.id === id || lookingFor === id) return;
  lookingFor = id;
  ask(
    'session/get',
    { session: id },
    ({ session }) => (app.lookedUp.value = { id, session }),
    ({ code }) => {
      if (code === 'session_unknown') app.lookedUp.value = { id, session: 'gone' };
    },
  );
}

export function readOlder(): void {
  sync.older();
}

/** Reads older turns until this one is there. */
export function reach(turn: string): void {
  sync.reach(turn);
}

/** Reads all older turns, page by page. */
export function readAll(): void {
  sync.reachAll();
}

export function readAnew(): void {
  lookingFor = undefined;
  sync.subscribe();
}

function hear(message: Told): void {
  switch (message.type) {
    case 'event':
      return sync.event(message.event);
    case 'state':
      return takeState(message);
    case 'visible':
      return app.hostReady.peek() ? readAnew() : undefined;
    case 'show':
      app.shown.value = message.session;
      return;
    case 'focus':
      if (message.need !== undefined) {
        app.requestOrder.value = bringToFront(app.requestOrder.peek(), message.need);
      }
      return app.takeTo(message.target);
    case 'attach':
      return changeDraft((draft) => addContext(draft, message.context));
    case 'active':
      return opened(message.context);
    case 'files':
      app.filesFound.value = { query: message.query, items: message.items };
      return;
    case 'draft':
      changeDraft((draft) => appendText(draft, message.text));
      return app.takeTo('composer');
  }
}

function takeState({ type: _type, ...state }: Extract<Told, { type: 'state' }>): void {
  const was = app.editor.peek();
  batch(() => {
    setTranslations(state.strings);
    learnSentences(state.strings);
    if (state.written !== undefined) takeWritten(state.written);
    app.editor.value = state;
    // The extension has it on disk at once; what VS Code keeps for the page is a second late, and lost in a crash.
    if (was === undefined && state.session !== undefined) app.shown.value = state.session;
  });
  if (state.hostState !== 'ready') return;
  ask('model/list', {}, ({ items }) => (app.models.value = items), ignore);
  // What the providers list themselves comes when they have answered.
  ask('model/list', { look: true }, ({ items }) => (app.models.value = items), ignore);
  ask('harness/list', {}, ({ items }) => (app.harnesses.value = items), ignore);
  if (was?.hostState === 'ready') return;
  readAnew();
  resendOutgoing();
}

/** Without the list of models the picker says that there is none; the host's own trouble is told elsewhere. */
function ignore(): void {}

function changeDraft(
  change: (draft: ReturnType<typeof app.draft.peek>) => ReturnType<typeof app.draft.peek>,
): void {
  const session = app.shown.peek();
  app.drafts.value = withDraft(app.drafts.peek(), session, change(app.draft.peek()));
}

/** Writes the page's own state a moment after it changed, and at once when the page goes. */
function keepPageState(): void {
  let cancel: (() => void) | undefined;
  const save = () => {
    cancel?.();
    cancel = undefined;
    writePageState({ ...pageState(), at: Date.now() });
  };
  effect(() => {
    void pageState();
    cancel ??= later(SAVE_MS, save);
  });
  window.addEventListener('pagehide', save);
  document.addEventListener('visibilitychange', save);
}

function pageState(): Omit<PageState, 'at'> {
  const session = app.shown.value;
  return {
    ...(session === undefined ? {} : { session }),
    page: app.page,
    drafts: newest(app.drafts.value),
    outgoing: app.outgoing.value,
    places: newest(app.places.value),
    cards: newest(app.cards.value),
    choices: app.choices.value,
    replies: newest(app.replies.value),
  };
}
