/**
 * A server's question to the person (`elicitation/create`): a form that is shown like any question, and whose answer
 * has been checked against it before it comes here.
 */
import { formOf, readForm, type FormQuestion } from '../../../protocol';
import { redact, redactDeep, type Secrets } from '../../base/redact';
import type { Steps } from '../../engine/ports';
import type { ElicitAnswer } from './client';
import { brief } from './words';

/** Of a title, characters that a list shows. */
const TITLE_CHARACTERS = 200;
/** A longer form is none that a person fills in. */
const FORM_CHARACTERS = 64 * 1024;

/**
 * Never rejects. A form that a person cannot be shown is declined; a question that nobody answers is cancelled.
 * What it says is shown without secrets (X8); a form whose fields are named by one is none.
 */
export async function elicit(
  server: string,
  asked: { readonly message: string; readonly schema: unknown; readonly signal: AbortSignal },
  steps: Steps,
  secrets: Secrets,
): Promise<ElicitAnswer> {
  const form = formOf(redactDeep({ schema: asked.schema }, secrets)['schema']);
  if (form === undefined || !canBeShown(form, secrets)) return { action: 'decline' };
  const message = redact(brief(asked.message), secrets);
  const question: FormQuestion = { question: message, server, form };
  const title = `${server}: ${message.split('\n')[0] ?? ''}`.slice(0, TITLE_CHARACTERS);
  const { output } = await steps.ask(title, question, asked.signal);
  const { answer, error } = output;
  if (typeof answer === 'string') {
    const read = readForm(form, answer);
    return read.ok ? { action: 'accept', content: read.content } : { action: 'decline' };
  }
  return { action: error === 'tool_failed' ? 'decline' : 'cancel' };
}

function canBeShown(form: FormQuestion['form'], secrets: Secrets): boolean {
  const text = JSON.stringify(form);
  return text.length <= FORM_CHARACTERS && redact(text, secrets) === text;
}
