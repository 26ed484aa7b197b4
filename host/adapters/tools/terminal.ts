import { z } from 'zod';
import {
  COMMAND_BYTES,
  TERMINAL_COLS,
  TERMINAL_ROWS,
  TERMINAL_SIDE_MOST,
  YIELD_MOST_MS,
} from '../../../protocol';
import type { Launch } from '../../base/launch';
import type { Run } from '../../engine/ports';
import { HIDDEN, namesHidden } from './hiddenWords';
import { namedFiles } from './namedFiles';
import { titleOf, type ReadCommand } from './shell';
import { defineTool, unsound, type Tool } from './tool';

export interface TerminalRequest {
  /** Without one, a shell at its prompt. */
  readonly command: string | undefined;
  /** Absolute path of an existing folder. */
  readonly folder: string;
  readonly cols: number;
  readonly rows: number;
}

/** What opens terminals; `host/adapters/terminals` is the real one. */
export interface OpensTerminals {
  terminal(request: TerminalRequest, launch: Launch, onOutput: (text: string) => void): Run;
  /** The shell that runs a command, or that waits at its prompt without one. */
  shellName(command: string | undefined): string;
}

const side = z.number().int().min(1).max(TERMINAL_SIDE_MOST).optional();

const Args = z.strictObject({
  command: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= COMMAND_BYTES, `at most ${COMMAND_BYTES} bytes`)
    .refine((text) => !text.includes('\0'), 'a command cannot hold a NUL')
    .optional(),
  cols: side,
  rows: side,
  yield_ms: z.number().int().min(0).max(YIELD_MOST_MS).optional(),
});

export function terminalTool(terminals: OpensTerminals, read: ReadCommand): Tool {
  return defineTool({
    name: 'terminal',
    description:
      'Run a command, or without one a shell, on a terminal of its own: for what needs input or a screen. Gives its handle and what it printed within yield_ms (default 1000, at most 30000); go on with write_stdin.',
    args: Args,
    prepare: async ({ command, ...rest }, place) => {
      if (command !== undefined && (await namesHidden(command, place))) return unsound(HIDDEN);
      const shell = terminals.shellName(command);
      const where = { command: command ?? shell, folder: place.folder };
      const reading = await read(where.command, shell);
      return {
        tool: 'terminal',
        class: 'command' as const,
        title: titleOf(where.command),
        args: command === undefined ? rest : { command, ...rest },
        preview: { kind: 'command' as const, ...where },
        subject: {
          kind: 'command' as const,
          ...where,
          reading,
          ...(await namedFiles(reading, place.folder)),
        },
        liftable: true,
        opens: 'terminal' as const,
        ...(command === undefined ? {} : { editable: true as const }),
      };
    },
    run: ({ command, cols, rows }, _prepared, place, launch, onOutput) =>
      terminals.terminal(
        { command, folder: place.folder, cols: cols ?? TERMINAL_COLS, rows: rows ?? TERMINAL_ROWS },
        launch,
        (text) => onOutput('stdout', text),
      ),
  });
}
