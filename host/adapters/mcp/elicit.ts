/**
 * A server's question to the person (`elicitation/create`): a form that is shown like any question, and whose answer
 * has been checked against it before it comes here.
 */
import { formOf, readForm, type FormQuestion } from '../../../protocol';
import type { Steps } from '../../engine/ports';
import type { ElicitAnswer } from './client';

/** Of a title, characters that a list shows. */
const TITLE_CHARACTERS = 200;

/** Never rejects. A form that a person cannot be shown is declined; a question that nobody answers is cancelled. */
export async function elicit(
  server: string,
  asked: { readonly message: string; readonly schema: unknown; readonly signal: AbortSignal },
  steps: Steps,
): Promise<ElicitAnswer> {
  const form = formOf(asked.schema);
  if (form === undefined) return { action: 'decline' };
  const question: FormQuestion = { question: asked.message, server, form };
  const title = `${server}: ${asked.message.split('\n')[0] ?? ''}`.slice(0, TITLE_CHARACTERS);
  const { output } = await steps.ask(title, question, asked.signal);
  const { answer, error } = output;
  if (typeof answer === 'string') {
    const read = readForm(form, answer);
    return read.ok ? { action: 'accept', content: read.content } : { action: 'decline' };
  }
  return { action: error === 'tool_failed' ? 'decline' : 'cancel' };
}
