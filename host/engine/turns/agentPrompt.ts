/** What an outside agent is told at the beginning of a run: pure text, made of what the rows say. */
import type { Context, Image } from '../../../protocol';
import { CONTINUE, messageText } from '../context';

export interface Said {
  readonly text: string;
  readonly images: readonly Image[];
  readonly context: readonly Context[];
}

/** A request that was allowed after the process that had asked was gone (H2). */
export interface Granted {
  readonly title: string;
  readonly args: unknown;
}

export interface PromptLook {
  /** The conversation begins: the person's instructions go ahead of it. */
  readonly instructions: string;
  readonly messages: readonly Said[];
  /** Ends of handles, and of requests whose process is gone (C8). */
  readonly notes: readonly string[];
  /** The person asked to go on after a turn that did not end by itself. */
  readonly continued: boolean;
  /** The agent had been at work on this turn before its process was ended. */
  readonly again: boolean;
  readonly killed: readonly string[];
  readonly granted: readonly Granted[];
}

export function agentPrompt(look: PromptLook): { readonly text: string; readonly images: readonly Image[] } {
  const parts = [
    ...(look.instructions === '' ? [] : [`Instructions of the person:\n${look.instructions}`]),
    ...(look.continued ? [CONTINUE] : []),
    ...(look.again && look.killed.length === 0 ? [AGAIN] : []),
    ...(look.killed.length === 0 ? [] : [killedText(look.killed)]),
    ...look.granted.map(grantText),
    ...look.notes,
    ...look.messages.map((said) => messageText(said.text, said.context)),
  ];
  return { text: parts.join('\n\n'), images: look.messages.flatMap((said) => said.images) };
}

const AGAIN =
  'Your process was ended while you were at work, and what ran then was ended with it; nothing was run again. ' +
  'Look at what is done before you repeat a step, then go on with the task.';

/** The words of the one Resume (H3). */
const killedText = (killed: readonly string[]): string =>
  [
    'When your last turn ended, work of yours was still running and was killed:',
    ...killed.map((work) => `- ${work}`),
    'Run again in the foreground what you were waiting for, wait for it to end, and then finish the task. ' +
      'Do not end your turn while anything of yours still runs.',
  ].join('\n');

const grantText = ({ title, args }: Granted): string =>
  `While your process was gone, the person allowed this request of yours, once: ${title}. ` +
  `Make exactly the same call again now, with the arguments ${JSON.stringify(args)}; it will run without being asked for again.`;

/** What an agent is told of a verdict that its process did not live to hear (C8). */
export const deniedText = (title: string, reason: string): string =>
  `While your process was gone, this request of yours was answered: ${title} was not allowed (${reason}). It has not run; do not try the same by another way.`;

/** What it is told of an answer to its question that it has not shown to have heard; a line a field. */
export const answeredText = (question: string, lines: readonly string[]): string =>
  [
    `The person answered your question, which you may not have heard. It was: ${question}`,
    lines.length === 0 ? 'They confirmed it.' : `Their answer:\n${lines.join('\n')}`,
    'Go on with it; do not ask again.',
  ].join('\n');
