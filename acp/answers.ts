/** What a person can answer to a question by a click in an ACP client, which shows permission requests alone. Pure. */
import type { PermissionOptionKind } from '@agentclientprotocol/sdk';
import { isForm } from '../protocol/form';
import type { Form } from '../protocol/formSchema';
import type { Answer, Question } from '../protocol/question';

export interface Clickable {
  readonly name: string;
  readonly kind: PermissionOptionKind;
  readonly answer: Answer;
}

/** A free question of an agent, which the next prompt answers; no form and no other tool's question takes words. */
export const wantsWords = (question: Asked): boolean =>
  question.tool === 'ask' && question.person !== false && choicesOf(question).length === 0;

type Asked = Pick<Question, 'tool' | 'args' | 'person'>;

/** The choices of a question of an agent; what this client cannot show can only be declined. */
export function answersTo(question: Question): readonly Clickable[] {
  if (question.tool === 'ask') return choicesOf(question).map((text) => yes(text, text));
  const offered = isForm(question) ? answersToForm(question.args.form) : [];
  return [...offered, offered.length > 0 ? no('Decline') : no(`Decline: ${NOT_SHOWN}`)];
}

/** A form without fields is a confirmation; one with one field to choose from is a choice. */
function answersToForm({ fields }: Form): readonly Clickable[] {
  const [field] = fields;
  if (field === undefined) return [yes('Confirm', '{}')];
  if (fields.length > 1) return [];
  const answer = (value: string | boolean): string => JSON.stringify({ [field.name]: value });
  switch (field.kind) {
    case 'yesNo':
      return [yes('Yes', answer(true)), yes('No', answer(false))];
    case 'choice':
      return field.options.map(({ label, value }) => yes(label, answer(value)));
    case 'text':
    case 'number':
    case 'choices':
      return [];
  }
}

const NOT_SHOWN = 'this editor cannot show what is to be filled in.';

const yes = (name: string, text: string): Clickable => ({ name, kind: 'allow_once', answer: { text } });
const no = (name: string): Clickable => ({
  name,
  kind: 'reject_once',
  answer: { error: 'The person declined in the other editor.' },
});

/** The labels that a question offers; none for one that wants words. */
function choicesOf({ args }: Asked): readonly string[] {
  if (typeof args !== 'object' || args === null || !('choices' in args) || !Array.isArray(args.choices))
    return [];
  return args.choices.flatMap((choice: unknown) => {
    if (typeof choice === 'string') return [choice];
    return typeof choice === 'object' && choice !== null && 'label' in choice ? [String(choice.label)] : [];
  });
}
