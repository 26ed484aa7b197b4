/** `read {result}`: pages through a result that was too long to be shown whole (T7). */
import { z } from 'zod';
import { SHOWN_BYTES } from '../../../protocol';
import type { CallResult, Workplace } from '../../engine/ports';
import { defineTool, failure, success, work, type Tool } from './tool';

export interface KeptPage {
  readonly text: string;
  /** Where the page begins and where the next one does, bytes. */
  readonly offset: number;
  readonly next: number;
  readonly total: number;
}

/** Results that are kept beside the database; a reference of another session stands for nothing. */
export type ReadKept = (
  session: Workplace['session'],
  reference: string,
  offset: number,
  limit: number,
) => KeptPage | undefined;

const Args = z.strictObject({
  result: z.string().min(1).max(600),
  offset: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(SHOWN_BYTES).optional(),
});

export const isResultRead = (args: unknown): boolean =>
  typeof args === 'object' && args !== null && 'result' in args;

export const readResultTool = (readKept: ReadKept): Tool =>
  defineTool({
    name: 'read',
    description: '',
    args: Args,
    prepare: (args) =>
      Promise.resolve({
        tool: 'read',
        class: 'read',
        title: `Read result ${args.result}`,
        args,
        preview: { kind: 'arguments' },
        subject: { kind: 'none' },
        liftable: false,
      }),
    // What cannot be read is the result of this call, and no fault of its turn.
    run: (args, _prepared, place) =>
      work(() => Promise.resolve().then(() => pageOf(args, place.session, readKept))),
  });

function pageOf(args: z.infer<typeof Args>, session: Workplace['session'], readKept: ReadKept): CallResult {
  const page = readKept(session, args.result, args.offset ?? 0, args.limit ?? SHOWN_BYTES);
  if (page === undefined) return failure(`There is no result ${args.result}.`);
  const { text, offset, next, total } = page;
  return success({
    text,
    offset,
    total_bytes: total,
    ...(next < total ? { next_offset: next } : { done: true }),
  });
}
