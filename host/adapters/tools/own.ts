/**
 * Tools that the engine runs itself, since they touch only its own records. Here stands what a model is told of them and how their arguments are judged.
 */
import { z } from 'zod';
import {
  NOTE_BYTES,
  PAGE_ITEMS_MOST,
  TERMINAL_SIDE_MOST,
  TYPED_BYTES,
  WAIT_HANDLES,
  WAIT_MOST_MS,
  YIELD_MOST_MS,
} from '../../../protocol';
import type { Preview } from '../../../protocol';
import type { CommandReading, Subject } from '../../engine/approvals/reading';
import type { Workplace } from '../../engine/ports';
import { HIDDEN, namesHidden } from './hiddenWords';
import { defineTool, unsound, type Definition, type Tool } from './tool';

const handle = z.string().min(1).max(256);

export const NoteArgs = z.strictObject({
  text: z.string().refine((text) => Buffer.byteLength(text) <= NOTE_BYTES, `at most ${NOTE_BYTES} bytes`),
});
export const HistoryArgs = z.strictObject({
  turn: z.string().min(1).max(64),
  offset: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(PAGE_ITEMS_MOST).optional(),
});
export const WaitArgs = z.strictObject({
  handles: z.array(handle).min(1).max(WAIT_HANDLES),
  timeout_ms: z.number().int().min(0).max(WAIT_MOST_MS).optional(),
  any: z.boolean().optional(),
});
export const WriteStdinArgs = z.strictObject({
  handle,
  text: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= TYPED_BYTES, `at most ${TYPED_BYTES} bytes`)
    .optional(),
  yield_ms: z.number().int().min(0).max(YIELD_MOST_MS).optional(),
  cols: z.number().int().min(1).max(TERMINAL_SIDE_MOST).optional(),
  rows: z.number().int().min(1).max(TERMINAL_SIDE_MOST).optional(),
  kill: z.boolean().optional(),
});

/** `read` reads what is typed as if it were for a shell. */
export const ownTools = (read: (text: string) => Promise<CommandReading>): readonly Tool[] => [
  own({
    name: 'wait',
    description:
      'Wait for handles to end and collect their results. any: return with the first. timeout_ms 0: only look.',
    args: WaitArgs,
    title: (args) => `Wait for ${args.handles.join(', ').slice(0, 200)}`,
  }),
  own({
    name: 'write_stdin',
    description:
      'Type text into a terminal (\\r is Enter, \\u0003 Ctrl+C), resize it (cols, rows), and read what it has printed since the last read, waiting yield_ms (default 1000, at most 30000). Without text only read. kill: end what runs under any handle.',
    args: WriteStdinArgs,
    title: writeTitle,
    // Text may be a command line; to read, and to end one's own work, is always free.
    classOf: ({ kill, text }) => (kill === true || text === undefined || text === '' ? 'own' : 'command'),
    preview: ({ kill, text }, place) =>
      kill === true || text === undefined
        ? { kind: 'arguments' }
        : { kind: 'command', command: text, folder: place.folder },
    subject: async ({ kill, text }, place) =>
      kill === true || text === undefined || text === ''
        ? { kind: 'none' }
        : {
            kind: 'typed',
            command: text,
            folder: place.folder,
            // Enter is sent as a carriage return.
            reading: await read(text.replaceAll('\r', '\n')),
          },
    liftable: ({ kill }) => kill !== true,
    // What is typed into a shell is a command as well.
    typed: ({ text }) => text ?? '',
  }),
  own({
    name: 'note',
    description: 'Keep a note that survives compaction; replaces the former one.',
    args: NoteArgs,
    title: () => 'Note',
  }),
  own({
    name: 'history',
    description: 'Read an earlier turn.',
    args: HistoryArgs,
    title: (args) => `Read turn ${args.turn}`,
  }),
];

/** With the text, so that the audit says what the agent has typed. */
function writeTitle({ handle, text, kill }: z.infer<typeof WriteStdinArgs>): string {
  if (kill === true) return `Stop ${handle}`;
  if (text === undefined || text === '') return `Read ${handle}`;
  return `Type ${JSON.stringify(text.slice(0, TITLE_CHARACTERS))} into ${handle}`;
}

const TITLE_CHARACTERS = 160;

interface Own<A> extends Pick<Definition<A>, 'name' | 'description'> {
  readonly args: z.ZodType<A>;
  title(args: A): string;
  classOf?(args: A): 'own' | 'command';
  preview?(args: A, place: Workplace): Preview;
  subject?(args: A, place: Workplace): Promise<Subject>;
  liftable?(args: A): boolean;
  /** Text that a shell may read. */
  typed?(args: A): string;
}

function own<A>(tool: Own<A>): Tool {
  return defineTool({
    name: tool.name,
    description: tool.description,
    args: tool.args,
    prepare: async (args, place) => {
      if (await namesHidden(tool.typed?.(args) ?? '', place)) return unsound(HIDDEN);
      return {
        tool: tool.name,
        class: tool.classOf?.(args) ?? 'own',
        title: tool.title(args),
        args,
        preview: tool.preview?.(args, place) ?? { kind: 'arguments' as const },
        subject: (await tool.subject?.(args, place)) ?? { kind: 'none' as const },
        liftable: tool.liftable?.(args) ?? false,
      };
    },
  });
}
