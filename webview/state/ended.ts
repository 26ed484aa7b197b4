/** What the person was writing for a request or a session goes with it: nobody could see or send it any more. */
import type { BelayEvent } from '../../protocol/events';
import type { Snapshot } from '../../protocol/host';
import { replyKeys } from './answering';
import * as app from './app';
import { EMPTY_DRAFT, withDraft } from './drafts';
import { isEdit } from './edits';
import { needOf } from './mirror';

/** Forgets reasons, answers and changed commands whose request waits no more, whoever has ended it. */
export function forgetEnded({ needs }: Snapshot): void {
  const before = app.replies.peek();
  const open = new Set(needs.flatMap((need) => replyKeys(needOf(need))));
  const kept = Object.entries(before).filter(([key]) => open.has(key) || isEdit(key));
  if (kept.length < Object.keys(before).length) app.replies.value = Object.fromEntries(kept);
}

/** A session is deleted by a person only, in whichever window. */
export function forgetDeleted({ type, session }: BelayEvent): void {
  if (type !== 'session_deleted') return;
  app.drafts.value = withDraft(app.drafts.peek(), session, EMPTY_DRAFT);
  const kept = Object.entries(app.replies.peek()).filter(([key]) => !isEdit(key, session));
  app.replies.value = Object.fromEntries(kept);
}
