/** What is read of a line, written so that a table can be read. */
import { join } from 'node:path';
import { createCommandReader } from '../../host/adapters/commands/reader';
import { systemClock } from '../../host/base/clock';
import type { CommandReading, Word } from '../../host/engine/approvals/reading';

const reader = createCommandReader({
  assets: join(__dirname, '../../dist'),
  clock: systemClock,
  log: (_level, text) => {
    throw new Error(text);
  },
});

export const readAs = (shell: string, command: string): Promise<CommandReading> =>
  reader.read(command, shell);
export const readSh = (command: string): Promise<CommandReading> => readAs('/bin/sh', command);

/**
 * One line for each part: its words between blanks, those that the shell changes in ‹›; `!kind` when it always asks;
 * `>` before one that was found inside of another; `@folder` behind a change of folder. `?reason` for what is unread.
 */
export function drawn(reading: CommandReading): readonly string[] {
  if (reading.kind === 'unparsed') return [`?${reading.reason}`];
  return reading.parts.map(({ words, caution, after, inside }) =>
    [
      ...(inside === true ? ['>'] : []),
      words.length === 0 ? '()' : words.map(word).join(' '),
      ...(caution === undefined ? [] : [`!${caution.kind}`]),
      ...(after === undefined ? [] : [`@${after.join('/')}`]),
    ].join(' '),
  );
}

function word(one: Word): string {
  if (typeof one !== 'string') return `‹${one.value ?? one.raw}›`;
  return /^[^\s"]+$/.test(one) ? one : JSON.stringify(one);
}
