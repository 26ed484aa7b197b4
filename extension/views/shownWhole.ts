import type { Approval } from '../../protocol';
import { line } from './line';

/**
 * Whether the one line that a surface shows of a request is all that would run, each character of it seen (A1). Only
 * then is Allow offered beside it; of anything else the chat shows the whole. Of a call's arguments and of a change of a
 * file a line is never all. `shown` makes the surface's line.
 */
export function isShownWhole({ preview, title }: Approval, shown: (text: string) => string = line): boolean {
  return preview.kind === 'command' && preview.command === title && shown(title) === title;
}
