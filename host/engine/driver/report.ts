/** What an agent is told of the end of a handle without asking (L10). Pure. */
import { END_REPORT_BYTES, type HandleEnd } from '../../../protocol';
import type { CallResult } from '../ports';
import type { HandleRecord } from '../records';

export interface EndDetails {
  readonly exitCode?: number;
  readonly signal?: string;
  readonly survivors?: readonly number[];
  /** The agent has been told by the result of a call. */
  readonly agentKnows?: boolean;
  /** Its session goes with it: nobody is left to be told, and nothing starts. */
  readonly isLast?: boolean;
}

/** What the agent is told without asking: the outcome, and the first 2,048 bytes (L10). */
export function reportOf(
  handle: HandleRecord,
  end: HandleEnd,
  result: CallResult,
  details: EndDetails,
): string {
  const how =
    end === 'exited'
      ? `exited with code ${String(details.exitCode ?? 0)}`
      : end === 'signalled'
        ? `ended by ${details.signal ?? 'a signal'}`
        : end.replace('_', ' ');
  const stdout = result.output['stdout'] ?? result.output['output'];
  const { note } = result.output;
  const body = typeof stdout === 'string' && stdout !== '' ? stdout : JSON.stringify(result.output);
  const advice = ADVICE[end];
  return `[${handle.id} "${handle.title}": ${how}]\n${typeof note === 'string' && body === stdout ? `${note}\n` : ''}${cutBytes(body, END_REPORT_BYTES)}${advice === undefined ? '' : `\n${advice}`}`;
}

/** What an agent would do wrong without a word: ask again for what it has, or for what was refused (C8). */
const ADVICE: Partial<Record<HandleEnd, string>> = {
  answered: 'Go on with this answer; do not ask for it again.',
  denied: 'It has not run; do not try the same by another way.',
};

/** The first `limit` bytes of UTF-8, never splitting a character. */
export function cutBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}\n… ${String(bytes.length - end)} more bytes: wait on the handle for the whole.`;
}
