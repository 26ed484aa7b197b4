/**
 * Names that a model calls: `SERVER__TOOL`, unique over all servers and stable (M2). A name that every provider
 * takes stays as it is; any other is made fit and gets a mark of what it was, so that it depends on nothing but
 * itself.
 */
import { createHash } from 'node:crypto';
import { TOOL_NAME_CHARACTERS } from '../../../protocol';

export const SEPARATOR = '__';

/** The part of a server: enough for any name, and tools keep more than half. */
const SERVER_CHARACTERS = 24;
const MARK_CHARACTERS = 6;

/** A server's part contains no separator and does not end in one's half, so that a name can be taken apart. */
export function serverPart(name: string): string {
  return fit(name, SERVER_CHARACTERS, (text) => text.replace(/_{2,}/g, '_').replace(/^_+|_+$/g, ''));
}

export function toolName(server: string, tool: string): string {
  const most = TOOL_NAME_CHARACTERS - server.length - SEPARATOR.length;
  return `${server}${SEPARATOR}${fit(tool, most, (text) => text)}`;
}

/** The server's part of a name; undefined for a tool of no server. */
export function serverOf(name: string): string | undefined {
  const at = name.indexOf(SEPARATOR);
  return at > 0 ? name.slice(0, at) : undefined;
}

function fit(name: string, most: number, more: (text: string) => string): string {
  const clean = more(name.replace(/[^A-Za-z0-9_-]/g, '_'));
  if (clean === name && name !== '' && name.length <= most) return name;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, MARK_CHARACTERS);
  const head = clean.slice(0, most - MARK_CHARACTERS - 1).replace(/_+$/, '');
  return head === '' ? `s${mark}` : `${head}-${mark}`;
}
