import type { Approval } from '../../protocol';
import { brief, line } from './line';

/**
 * Whether the one line that a surface shows of a request is all that would run, each character of it seen (A1). Only
 * then is Allow offered beside it; of anything else the chat shows the whole. Of a call's arguments and of a change of a
 * file a line is never all. `shown` makes the surface's line.
 */
export function isShownWhole({ preview, title }: Approval, shown: (text: string) => string): boolean {
  return preview.kind === 'command' && preview.command === title && shown(title) === title;
}

/** In a row of a tree, which the editor cuts at the edge of the side bar. */
export const isWholeInRow = (approval: Approval): boolean => isShownWhole(approval, brief);

/** Characters of a command that a quick pick, which is 600 px wide, shows beside the age and the session. */
const PICK_LENGTH = 60;

/** In an entry of a quick pick, which the editor cuts at the edge of the list. */
export const isWholeInPick = (approval: Approval): boolean =>
  isShownWhole(approval, (text) => line(text, PICK_LENGTH));
