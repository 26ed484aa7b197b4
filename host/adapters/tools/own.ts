/**
 * Tools that the engine runs itself, since they touch only its own records. Here stands what a model is told of them and how their arguments are judged.
 */
import { z } from 'zod';
import { NOTE_BYTES, PAGE_ITEMS_MOST, WAIT_HANDLES, WAIT_MOST_MS } from '../../../protocol';
import { defineTool, type Definition, type Tool } from './tool';

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
  text: z.string().max(65_536).optional(),
  kill: z.boolean().optional(),
});

export const ownTools: readonly Tool[] = [
  own({
    name: 'wait',
    description:
      'Wait for handles to end and collect their results. any: return with the first. timeout_ms 0: only look.',
    args: WaitArgs,
    title: (args) => `Wait for ${args.handles.join(', ').slice(0, 200)}`,
  }),
  own({
    name: 'write_stdin',
    description: 'Write text to what runs under a handle, or end it with kill.',
    args: WriteStdinArgs,
    title: (args) => (args.kill === true ? `Stop ${args.handle}` : `Write to ${args.handle}`),
    // Text may be a command line; ending one's own work is always free.
    classOf: (args) => (args.kill === true || args.text === undefined ? 'own' : 'command'),
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

interface Own<A> extends Pick<Definition<A>, 'name' | 'description'> {
  readonly args: z.ZodType<A>;
  title(args: A): string;
  classOf?(args: A): 'own' | 'command';
}

function own<A>(tool: Own<A>): Tool {
  return defineTool({
    name: tool.name,
    description: tool.description,
    args: tool.args,
    prepare: (args) =>
      Promise.resolve({
        tool: tool.name,
        class: tool.classOf?.(args) ?? 'own',
        title: tool.title(args),
        args,
        preview: { kind: 'arguments' },
        subject: { kind: 'none' },
        liftable: false,
      }),
  });
}
