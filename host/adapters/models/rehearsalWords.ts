/** What a rehearsal says of what happened to its calls, and at the end. */
import { textOf, type Doing, type Task } from './rehearsalTask';

/** Sentences on what came since the newest answer: messages, verdicts, lifts, pauses. */
export function reactions(task: Task): string[] {
  const recent = task.doings.filter((doing) => doing.round === task.rounds - 1);
  return [
    ...task.steers.map(
      (text) => `You wrote: "${short(text)}". A rehearsal reads it, but cannot understand it.`,
    ),
    ...recent.flatMap(reaction),
    ...task.notes.map((text) => `I was told: ${short(text.split('\n')[0] ?? '')}`),
  ];
}

function reaction(doing: Doing): string[] {
  const name = nameOf(doing);
  if (doing.outcome.kind === 'waiting') {
    const waits =
      doing.outcome.for === 'answer'
        ? 'for your answer'
        : doing.outcome.for === 'approval'
          ? 'for your verdict'
          : 'on in the background';
    const state = waits.startsWith('for') ? `still waits ${waits}` : `goes ${waits}`;
    return [`${name} ${state} as ${doing.outcome.handle}; nothing was cancelled.`];
  }
  if (doing.outcome.kind !== 'failed' || doing.tool === 'read' || doing.tool === 'list') return [];
  const { code, detail } = doing.outcome;
  switch (code) {
    case 'approval_denied':
      return [`You denied ${name}${detail === '' ? '' : ` (${short(detail)})`}. I do without it.`];
    case 'approval_lapsed':
      return [`The time for ${name} is over without a verdict. I do without it.`];
    case 'host_paused':
      return [`The pause ended ${name}.`];
    default:
      return [`${name} did not run to its end: ${code}${detail === '' ? '' : ` (${short(detail)})`}.`];
  }
}

export function nameOf({ tool, args }: Doing): string {
  const what = textOf(args, 'command') || textOf(args, 'path') || textOf(args, 'pattern');
  if (tool === 'ask') return 'The question';
  return tool === 'shell' ? `\`${what}\`` : `${tool}${what === '' ? '' : ` ${what}`}`;
}

/** The last words of a task. */
export function summary(task: Task): string {
  const lines = task.doings
    .filter(({ tool }) => tool === 'edit' || tool === 'shell' || tool === 'write')
    .map(outcomeLine);
  return [
    'Rehearsal: no AI was involved. What happened:',
    ...(lines.length > 0 ? lines : ['- I only looked.']),
    '',
    CHOOSE,
  ].join('\n');
}

export function nothingMore(task: Task): string {
  const hits = task.doings.find(({ tool }) => tool === 'search')?.outcome;
  const found =
    hits?.kind === 'done'
      ? `\n\nThe search gave ${JSON.stringify(hits.output).length} characters of results.`
      : '';
  return `A real model would now read what your message is about, change it with your permission, and check it.${found}\n\n${summary(task)}`;
}

const CHOOSE = 'Choose a real model in the model picker to work on something of your own.';

function outcomeLine(doing: Doing): string {
  const { outcome } = doing;
  const how =
    outcome.kind === 'waiting'
      ? `waits as ${outcome.handle}`
      : outcome.kind === 'failed'
        ? outcome.code.replaceAll('_', ' ')
        : doing.tool !== 'shell'
          ? 'done'
          : outcome.output['success'] === true
            ? 'passed'
            : 'failed';
  return `- ${nameOf(doing)}: ${how}`;
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
};
