import type { Approval } from '../../protocol';
import { line } from './line';

/**
 * Whether the one line that a surface shows of a request is all that would run, each character of it seen (A1). Only
 * then is Allow offered beside it; of anything else the chat shows the whole. `shown` makes the surface's line.
 */
export function isShownWhole({ preview, title }: Approval, shown: (text: string) => string = line): boolean {
  return shown(title) === title && (preview.kind !== 'command' || preview.command === title);
}
