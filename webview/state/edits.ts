/**
 * What the person is writing over messages that wait to be read. It is kept with the replies, by session and message,
 * so that it survives a reload; when its message was read or removed meanwhile, it goes to the composer.
 */
import type { Snapshot } from '../../protocol/host';
import type { Message } from '../../protocol/message';
import * as app from './app';
import { appendText, draftOf, withDraft } from './drafts';

const EDIT = 'edit';

/** Whether this is the key of what is written over a message, of this session if one is given. */
export const isEdit = (key: string, session?: string): boolean =>
  key.startsWith(session === undefined ? `${EDIT} ` : `${EDIT} ${session} `);

const keyOf = ({ session, id }: Pick<Message, 'session' | 'id'>): string => [EDIT, session, id].join(' ');

export const editOf = (message: Message): string | undefined => app.replies.value[keyOf(message)];

export function writeEdit(message: Message, text: string): void {
  app.replies.value = { ...app.replies.peek(), [keyOf(message)]: text };
}

export function forgetEdit(message: Message): void {
  forget(keyOf(message));
}

/** Puts what was written over a message that can be edited no more into the composer of its session. */
export function toComposer(session: string, text: string): void {
  const drafts = app.drafts.peek();
  app.drafts.value = withDraft(drafts, session, appendText(draftOf(drafts, session), text));
}

/** Looks for edits whose message no longer waits. */
export function handOverEdits({ unread }: Snapshot): void {
  const waiting = new Set(unread.map(keyOf));
  for (const [key, text] of Object.entries(app.replies.peek())) {
    const [kind, session = ''] = key.split(' ');
    if (kind !== EDIT || waiting.has(key)) continue;
    // The text is put there before it is forgotten here, so that it is always somewhere.
    if (text.trim() !== '') toComposer(session, text);
    forget(key);
  }
}

function forget(key: string): void {
  const { [key]: _gone, ...rest } = app.replies.peek();
  app.replies.value = rest;
}
