/** What a question of the tool `ask` asks, whatever its form. */
import type { Question } from '../../protocol/question';
import { isRecord, textOf } from './values';

export interface Choice {
  readonly label: string;
  readonly description?: string;
}

export interface Asked {
  readonly question: string;
  readonly choices: readonly Choice[];
  readonly multiple: boolean;
}

/** One question or several at once; none for another tool's arguments. */
export function askedOf(question: Question): readonly Asked[] {
  const args = isRecord(question.args) ? question.args : {};
  const several = args['questions'];
  const listed = Array.isArray(several) ? several.filter(isRecord) : [args];
  return listed.flatMap((one) => {
    const text = textOf(one, 'question');
    if (text === undefined) return [];
    return [{ question: text, choices: choicesOf(one['choices']), multiple: one['multiple'] === true }];
  });
}

function choicesOf(listed: unknown): readonly Choice[] {
  const choices = (Array.isArray(listed) ? listed : []).flatMap((choice: unknown): Choice[] => {
    if (typeof choice === 'string') return [{ label: choice }];
    if (!isRecord(choice)) return [];
    const label = textOf(choice, 'label');
    const description = textOf(choice, 'description');
    return label === undefined ? [] : [{ label, ...(description === undefined ? {} : { description }) }];
  });
  return choices.filter((one, n) => choices.findIndex((other) => other.label === one.label) === n);
}

/** Questions that only the editor can answer: it picks the files, and keeps the secrets. */
export const isForEditor = (question: Question): boolean =>
  question.tool === 'pick_files' || question.tool === 'request_secret';
