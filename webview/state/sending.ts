/** What the person does with messages and turns. */
import { batch } from '@preact/signals';
import { request } from '../bridge';
import { BY } from '../bridgeProtocol';
import type { MessageId, SessionId } from '../../protocol/ids';
import type { Message } from '../../protocol/message';
import { t } from '../strings';
import { withActive } from './active';
import * as app from './app';
import { draftOf, EMPTY_DRAFT, giveBack, isEmptyDraft, withDraft, type Outgoing } from './drafts';
import { toComposer } from './edits';
import { RequestRefused } from './values';
import type { Choice } from './delivery';

/** Sends the draft of the shown session, making the session first when there is none. */
export function sendDraft(choice: Choice): void {
  if (isEmptyDraft(app.draft.peek())) return;
  const draft = withActive(app.draft.peek());
  const session = app.shown.peek();
  const message: Outgoing = {
    clientId: crypto.randomUUID(),
    draft,
    delivery: choice,
    ...(session === undefined ? {} : { session }),
  };
  batch(() => {
    app.drafts.value = withDraft(app.drafts.peek(), session, EMPTY_DRAFT);
    app.outgoing.value = [...app.outgoing.peek(), message];
  });
  forgetFailure(session);
  void deliver(message);
}

/** Sends again what was on its way when the page was reloaded or the host went: a host takes an id only once. */
export function resendOutgoing(): void {
  for (const message of app.outgoing.peek()) if (!underWay.has(message.clientId)) void deliver(message);
}

const underWay = new Set<string>();

async function deliver(message: Outgoing, again = false): Promise<void> {
  underWay.add(message.clientId);
  let session: string | undefined = message.session;
  try {
    const target = await sessionFor(message);
    session = target;
    const { text, images, context } = message.draft;
    await request('message/send', {
      session: target,
      text,
      clientId: message.clientId,
      delivery: message.delivery,
      ...(images.length === 0 ? {} : { images: [...images] }),
      ...(context.length === 0 ? {} : { context: [...context] }),
    });
    forget(message);
  } catch (error) {
    underWay.delete(message.clientId);
    if (isHostGone(error)) {
      // Nobody knows whether the host that went has taken it, so it stays on its way under its id.
      if (!app.hostReady.peek()) return;
      // The page has not been told yet that the host went; the editor keeps what is asked now for the next one.
      if (!again) return deliver(newest(message), true);
    }
    batch(() => {
      forget(message);
      app.drafts.value = giveBack(app.drafts.peek(), session, message.draft);
    });
    app.sendFailures.value = { ...app.sendFailures.peek(), [session ?? '']: reasonOf(error) };
  }
}

function forget(message: Outgoing): void {
  underWay.delete(message.clientId);
  app.outgoing.value = app.outgoing.peek().filter((other) => other.clientId !== message.clientId);
}

/** With the session that was made for it meanwhile. */
function newest(message: Outgoing): Outgoing {
  return app.outgoing.peek().find((other) => other.clientId === message.clientId) ?? message;
}

function isHostGone(error: unknown): boolean {
  return error instanceof RequestRefused && (error.code === 'host_failed' || error.code === 'host_stopping');
}

/** The message's session, made now if it has none; from then on the message belongs to it, also after a reload. */
async function sessionFor(message: Outgoing): Promise<SessionId> {
  if (message.session !== undefined) return message.session;
  const session = await createSession();
  app.outgoing.value = app.outgoing
    .peek()
    .map((other) => (other.clientId === message.clientId ? { ...other, session } : other));
  return session;
}

/** Makes a session with what the person chose, or the defaults, and shows it. */
async function createSession(): Promise<SessionId> {
  const state = app.editor.peek();
  const { folder, agent, mode } = newSessionChoices();
  if (folder === undefined) throw new RequestRefused({ message: t('folder.none') });
  if (agent === undefined) throw new RequestRefused({ message: t('model.empty') });
  const { session } = await request('session/create', {
    folder,
    agent,
    mode: mode ?? state?.defaults.mode ?? 'ask',
  });
  // What was written since the message went belongs to the session that it has made.
  if (app.shown.peek() === undefined) {
    const drafts = app.drafts.peek();
    app.drafts.value = giveBack(
      withDraft(drafts, undefined, EMPTY_DRAFT),
      session.id,
      draftOf(drafts, undefined),
    );
  }
  app.shown.value = session.id;
  return session.id;
}

/** What a new session would begin with: the person's choice as long as it still exists. */
export function newSessionChoices() {
  const state = app.editor.value;
  const chosen = app.choices.value;
  const models = app.models.value;
  const folders = state?.folders ?? [];
  const folder = folders.find((other) => other.path === chosen.folder) ?? folders[0];
  const known = models.some((other) => other.id === chosen.model) ? chosen.model : undefined;
  const first = models.find((other) => other.ready) ?? models[0];
  const model = known ?? state?.defaults.model ?? first?.id;
  const harness = app.harnesses.value.find((other) => other.id === chosen.harness && other.found)?.id;
  return {
    folder: folder?.path,
    agent: harness === undefined ? modelAgent(model) : { kind: 'harness' as const, harness },
    mode: chosen.mode ?? state?.defaults.mode,
  };
}

const modelAgent = (model: string | undefined) =>
  model === undefined ? undefined : { kind: 'model' as const, model };

export function stopTurn(): void {
  const session = app.session.peek();
  if (session?.turn === undefined) return;
  app.stopping.value = session.turn;
  act(request('turn/interrupt', { session: session.id, turn: session.turn, by: BY.chat }), () => {
    app.stopping.value = undefined;
  });
}

export function continueTurn(): void {
  const session = app.session.peek();
  if (session !== undefined) act(request('turn/continue', { session: session.id, by: BY.chat }));
}

export function summarise(session: SessionId): void {
  act(request('session/compact', { session, by: BY.chat }));
}

/** One that was read meanwhile cannot be edited any more: what was written goes to the composer. */
export function editMessage({ id, session }: Message, text: string): void {
  act(request('message/edit', { message: id, text }), () => toComposer(session, text));
}

export function removeMessage(message: MessageId): void {
  act(request('message/remove', { message }));
}

/** Moves a queued message by one place among the queued ones of its session. */
export function moveMessage(message: MessageId, step: 1 | -1): void {
  const session = app.session.peek();
  const order = app.unread
    .peek()
    .filter((other) => other.delivery === 'queue')
    .map((other) => other.id);
  const from = order.indexOf(message);
  const other = order[from + step];
  if (session === undefined || from === -1 || other === undefined) return;
  order[from] = other;
  order[from + step] = message;
  act(request('message/reorder', { session: session.id, order }));
}

export function resumeAll(): void {
  act(request('host/resume', { by: BY.chat }));
}

/** Shows what went wrong at the composer: every action of the page ends in a visible change or in a sentence. */
export function act(action: Promise<unknown>, failed: () => void = nothing): void {
  forgetFailure(app.shown.peek());
  action.catch((error: unknown) => {
    failed();
    app.sendFailures.value = { ...app.sendFailures.peek(), [app.shown.peek() ?? '']: reasonOf(error) };
  });
}

function nothing(): void {}

function forgetFailure(session: string | undefined): void {
  const { [session ?? '']: _gone, ...rest } = app.sendFailures.peek();
  app.sendFailures.value = rest;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
