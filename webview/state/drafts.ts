/**
 * What the person has written and not sent, one draft a session; the draft of a session that does not exist yet
 * has the key `NEW`. Nothing but the person empties a draft, and a message that could not be sent comes back.
 */
import type { SessionId } from '../../protocol/ids';
import type { Context, Delivery, Image } from '../../protocol/message';

export interface Draft {
  readonly text: string;
  readonly images: readonly Image[];
  readonly context: readonly Context[];
}

/**
 * A message on its way: kept until the host has it, so that it can be sent again under the same id after a reload, and
 * after a host that went without an answer.
 */
export interface Outgoing {
  readonly clientId: string;
  /** Absent while its session is still to be made. */
  readonly session?: SessionId;
  readonly draft: Draft;
  readonly delivery: Delivery;
}

export type Drafts = Readonly<Record<string, Draft>>;

export const NEW = 'new';
export const EMPTY_DRAFT: Draft = { text: '', images: [], context: [] };

export function draftOf(drafts: Drafts, session: string | undefined): Draft {
  return drafts[session ?? NEW] ?? EMPTY_DRAFT;
}

export function isEmptyDraft(draft: Draft): boolean {
  return draft.text.trim() === '' && draft.images.length === 0;
}

export function withDraft(drafts: Drafts, session: string | undefined, draft: Draft): Drafts {
  const key = session ?? NEW;
  const { [key]: _old, ...rest } = drafts;
  const nothing = draft.text === '' && draft.images.length === 0 && draft.context.length === 0;
  return nothing ? rest : { ...rest, [key]: draft };
}

/** Puts what was not sent back before what was written since. */
export function giveBack(drafts: Drafts, session: string | undefined, unsent: Draft): Drafts {
  const since = draftOf(drafts, session);
  const text = since.text === '' ? unsent.text : `${unsent.text}\n\n${since.text}`;
  return withDraft(drafts, session, {
    text,
    images: [...unsent.images, ...since.images],
    context: [...unsent.context, ...since.context],
  });
}

export function appendText(draft: Draft, text: string): Draft {
  const gap = draft.text === '' || draft.text.endsWith('\n') ? '' : '\n';
  return { ...draft, text: `${draft.text}${gap}${text}` };
}

export function addContext(draft: Draft, added: readonly Context[]): Draft {
  const key = ({ kind, path, range, text }: Context) => JSON.stringify([kind, path, range, text]);
  const here = new Set(draft.context.map(key));
  const fresh = added.filter((item) => !here.has(key(item)));
  return fresh.length === 0 ? draft : { ...draft, context: [...draft.context, ...fresh] };
}
