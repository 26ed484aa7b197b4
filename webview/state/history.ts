/** What the person has said before in this session, for the arrow keys. */
import type { TurnView } from '../../protocol/transcript';
import type { Message } from '../../protocol/message';

/** Newest first; the same text twice in a row counts once. */
export function saidBefore(turns: readonly TurnView[], unread: readonly Message[]): readonly string[] {
  const read = turns.flatMap((view) =>
    view.parts.flatMap((part) => (part.kind === 'message' && part.text !== '' ? [part.text] : [])),
  );
  const all = [...read, ...unread.map((message) => message.text)].reverse();
  return all.filter((text, index) => text !== '' && text !== all[index - 1]);
}

/** The text one step further back (1) or forward (−1) from the one that is shown; undefined where there is none. */
export function stepThrough(
  said: readonly string[],
  shown: number | undefined,
  step: 1 | -1,
): { readonly index: number | undefined; readonly text: string } | undefined {
  const next = (shown ?? -1) + step;
  if (next < 0) return shown === undefined ? undefined : { index: undefined, text: '' };
  const text = said[next];
  return text === undefined ? undefined : { index: next, text };
}
