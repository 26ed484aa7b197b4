import { z } from 'zod';
import { COMMAND_BYTES, SHELL_MOST_MS } from '../../../protocol';
import type { Run } from '../../engine/ports';
import type { CommandReading } from '../../engine/approvals/reading';
import type { Launch } from '../../base/launch';
import { HIDDEN, namesHidden } from './hiddenWords';
import { namedFiles } from './namedFiles';
import { defineTool, unsound, type Tool } from './tool';

export interface ShellRequest {
  readonly command: string;
  /** Absolute path of an existing folder. */
  readonly folder: string;
  /** Running time, ms; the default one, which ends with `detach`, when it is undefined. */
  readonly timeoutMs: number | undefined;
}

/** Reads a command line in the language of a shell, by its name or path. Never rejects. */
export type ReadCommand = (command: string, shell: string) => Promise<CommandReading>;

/** What runs commands; `host/adapters/processes` is the real one. */
export interface Commands {
  /** The shell that runs them. */
  readonly shell: string;
  command(
    request: ShellRequest,
    launch: Launch,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
  ): Run;
}

const Args = z.strictObject({
  command: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= COMMAND_BYTES, `at most ${COMMAND_BYTES} bytes`)
    .refine((text) => !text.includes('\0'), 'a command cannot hold a NUL'),
  timeout_ms: z.number().int().min(1).max(SHELL_MOST_MS).optional(),
  background: z.boolean().optional(),
});

export function shellTool(commands: Commands, read: ReadCommand): Tool {
  return defineTool({
    name: 'shell',
    description: `Run a command in ${process.platform === 'win32' ? 'PowerShell' : '/bin/sh'}, without input or terminal. What it leaves running (&) is ended with it; for that use background, which gives a handle. timeout_ms: default 120000, at most 600000.`,
    args: Args,
    prepare: async (args, place) => {
      if (await namesHidden(args.command, place)) return unsound(HIDDEN);
      const where = { command: args.command, folder: place.folder };
      const reading = await read(args.command, commands.shell);
      return {
        tool: 'shell',
        class: 'command' as const,
        title: titleOf(args.command),
        args,
        preview: { kind: 'command' as const, ...where },
        subject: {
          kind: 'command' as const,
          ...where,
          reading,
          ...(await namedFiles(reading, place.folder)),
        },
        liftable: true,
        editable: true as const,
      };
    },
    run: (args, _prepared, place, launch, onOutput) =>
      commands.command(
        { command: args.command, folder: place.folder, timeoutMs: args.timeout_ms },
        launch,
        onOutput,
      ),
  });
}

/** The first line, as far as a list shows it. */
export function titleOf(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  const line = first.length > TITLE_CHARACTERS ? `${first.slice(0, TITLE_CHARACTERS)}…` : first;
  return rest.length > 0 ? `${line} …` : line;
}

const TITLE_CHARACTERS = 200;
