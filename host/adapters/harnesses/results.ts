/** Results of an outside agent's calls in the form of Belay's own: cut for showing, kept whole beside (T7, R10). */
import { SHOWN_BYTES } from '../../../protocol';
import { Capture } from '../../base/capture';
import type { CallResult } from '../../engine/ports';

/** What a command has put out, and how it ended. */
export function commandResult(output: string, exitCode: number | undefined, failed: boolean): CallResult {
  const { shown, kept } = cut('stdout', output);
  return {
    output: { stdout: shown, ...(exitCode === undefined ? {} : { exit_code: exitCode }), success: !failed },
    failed,
    ...kept,
  };
}

/** A text, or an error's text. */
export function textResult(text: string, failed: boolean): CallResult {
  const { shown, kept } = cut(failed ? 'detail' : 'output', text);
  return { output: failed ? { error: 'tool_failed', detail: shown } : { output: shown }, failed, ...kept };
}

export const valueResult = (value: unknown, failed: boolean): CallResult =>
  typeof value === 'string' ? textResult(value, failed) : textResult(JSON.stringify(value ?? null), failed);

/** It has not run: a person or a rule said no. */
export const deniedResult = (detail: string): CallResult => ({
  output: { error: 'approval_denied', detail },
  failed: true,
  ran: false,
});

function cut(name: string, text: string): { shown: string; kept: Pick<CallResult, 'kept'> } {
  if (text.length <= SHOWN_BYTES / 4) return { shown: text, kept: {} };
  const capture = new Capture(SHOWN_BYTES);
  capture.add(Buffer.from(text));
  const { text: shown, omitted } = capture.shown(SHOWN_BYTES);
  return { shown, kept: omitted === 0 ? {} : { kept: [{ name, text }] } };
}
