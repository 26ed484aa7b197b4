/** Going back to before a message: another session with what was before it, and its words in the composer. */
import { batch } from '@preact/signals';
import { request } from '../bridge';
import { BY } from '../bridgeProtocol';
import type { Reverted } from '../../protocol/change';
import type { Part, TurnView } from '../../protocol/transcript';
import * as app from './app';
import { addContext, appendText, EMPTY_DRAFT, withDraft, type Draft } from './drafts';

/** Files that the agent has changed in this turn or in a later one. */
export function filesSince(turns: readonly TurnView[], turn: string): readonly string[] {
  const from = turns.findIndex((view) => view.turn === turn);
  const changes = turns.slice(Math.max(0, from)).flatMap((view) => view.changes ?? []);
  return [...new Set(changes.map(({ path }) => path))];
}

/** Puts them back as they were before the turn; which ones could not be. */
export async function revertSince({ session, turn }: TurnView): Promise<readonly Reverted[]> {
  const { items } = await request('change/revert', { session, since: turn, by: BY.chat });
  return items.filter(({ outcome }) => outcome === 'refused');
}

/**
 * Shows a session that ends before this turn, with all that the person said to begin it in the composer. The one from
 * before is archived, but where something of it still waits or runs.
 */
export async function goBack(view: TurnView): Promise<void> {
  const source = app.session.peek();
  const rests = nothingOf(view.session);
  const { session } = await request('session/fork', {
    session: view.session,
    before: view.turn,
    ...(source === undefined ? {} : { title: source.title }),
  });
  batch(() => {
    app.drafts.value = withDraft(app.drafts.peek(), session.id, draftOf(view.parts));
    app.shown.value = session.id;
  });
  app.takeTo('composer');
  if (rests) await request('session/update', { session: view.session, archived: true });
}

/** Whether nothing of the shown session waits or runs. */
function nothingOf(session: string): boolean {
  const works = app.snapshot
    .peek()
    ?.handles.some((handle) => handle.session === session && handle.endedAt === undefined);
  return works !== true && app.needs.peek().length === 0 && app.unread.peek().length === 0;
}

function draftOf(parts: readonly Part[]): Draft {
  return parts.reduce<Draft>((draft, part) => {
    if (part.kind !== 'message' || part.step > 0) return draft;
    const { text, images = [], context = [] } = part;
    const written = appendText(draft, text);
    return addContext({ ...written, images: [...written.images, ...images] }, context);
  }, EMPTY_DRAFT);
}
