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

/**
 * Shows a session that ends before this turn, with all that the person said to begin it in the composer. The one from
 * before is archived, but where something of it still waits or runs. With `reverts` the files that were changed since
 * are put back first; where some could not be, nothing else is done, and it gives those.
 */
export async function goBack(view: TurnView, reverts: boolean): Promise<readonly Reverted[]> {
  // The person may look at another session before it is done.
  const title = app.session.peek()?.title;
  const rests = nothingOf(view.session);
  const draft = draftOf(view.parts);
  const refused = reverts ? await revertSince(view) : [];
  if (refused.length > 0) return refused;
  const { session } = await request('session/fork', {
    session: view.session,
    before: view.turn,
    ...(title === undefined ? {} : { title }),
  });
  batch(() => {
    app.drafts.value = withDraft(app.drafts.peek(), session.id, draft);
    app.shown.value = session.id;
  });
  app.takeTo('composer');
  if (rests) await request('session/update', { session: view.session, archived: true });
  return [];
}

async function revertSince({ session, turn }: TurnView): Promise<readonly Reverted[]> {
  const { items } = await request('change/revert', { session, since: turn, by: BY.chat });
  return items.filter(({ outcome }) => outcome === 'refused');
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
