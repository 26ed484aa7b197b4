/** An error as its script's author reads it: in the lines that the author wrote. */
import { z } from 'zod';
import type { ScriptError } from './messages';
import { SCRIPT_FILE, WRAPPER_LINES } from './vm';

const Told = z.object({ name: z.string(), message: z.string(), stack: z.string() });

/** Longer ones are of no use to anyone, characters. */
const MESSAGE_CHARACTERS = 8 * 1024;
const STACK_LINES = 16;

/** The error that the prelude has told. */
export function errorOf(told: string): ScriptError {
  const { name, message, stack } = Told.parse(JSON.parse(told));
  const lines = stack
    .split('\n')
    .filter((line) => line.includes(`${SCRIPT_FILE}:`) && !line.includes('<eval>'));
  const [line, column] = place(lines[0]);
  return {
    name: name.slice(0, 256),
    message: message.slice(0, MESSAGE_CHARACTERS),
    stack: lines.slice(0, STACK_LINES).map(moved).join('\n'),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

const PLACE = new RegExp(`${SCRIPT_FILE.replace('.', '\\.')}:(\\d+):(\\d+)`);

function place(line: string | undefined): [number?, number?] {
  const [, row, column] = PLACE.exec(line ?? '') ?? [];
  if (row === undefined || column === undefined) return [];
  return [Math.max(1, Number(row) - WRAPPER_LINES), Number(column)];
}

function moved(line: string): string {
  const [row, column] = place(line);
  return line.trim().replace(PLACE, `${SCRIPT_FILE}:${row ?? 1}:${column ?? 1}`);
}
