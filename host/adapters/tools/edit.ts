import { z } from 'zod';
import { PROMPT_BYTES } from '../../../protocol';
import type { CallResult, Prepared, Workplace } from '../../engine/ports';
import { replaceFile } from '../../base/effects';
import type { Launch } from '../../base/launch';
import { unlessUnsaved, type Unsaved } from '../../base/unsaved';
import type { Diff } from './diffPreview';
import { asText, looking, readWhole, refuseReadOnly, Unusable, type WholeFile } from './disk';
import { pathTool } from './pathTool';
import { locate, locateAgain, type Located } from './paths';
import { nearest, replace } from './replace';
import { encodingOf, workable, type Workable } from './text';
import { failure, success, work, type Stopping, type Tool } from './tool';

const Args = z
  .strictObject({
    path: z.string().min(1).max(4096),
    old: z.string().min(1).max(PROMPT_BYTES),
    new: z.string().max(PROMPT_BYTES),
    all: z.boolean().optional(),
  })
  .refine((args) => args.old !== args.new, 'old and new are the same');
type Args = z.infer<typeof Args>;

/**
 * An edit means "this text becomes that one". If the file has changed since it was shown, it still runs when
 * `old` is there exactly once, since it then does what was shown; with `all` it runs only if it would remove
 * and add the very lines that were shown.
 */
export function editTool(diff: Diff, unsaved: Unsaved): Tool {
  return pathTool({
    name: 'edit',
    description:
      'Replace an exact text in a file; old must occur once, or set all. Copy old from read, with its white space.',
    args: Args,
    verb: 'Edit',
    purpose: 'edit',
    tells: true,
    show: async (args, at) => {
      const edited = await tryEdit(args, at);
      return edited === undefined ? undefined : diff(at.shown, edited.before, edited.after);
    },
    run: (args, prepared, place, launch) =>
      work((stopping) => run(args, diff, unsaved, prepared, place, launch, stopping)),
    sides: async (args, place) => {
      const at = await locate(place, args.path, 'edit');
      const edited = await tryEdit(args, at);
      return edited === undefined
        ? undefined
        : { path: at.shown, before: edited.before, after: edited.after, created: false };
    },
  });
}

async function run(
  args: Args,
  diff: Diff,
  unsaved: Unsaved,
  prepared: Prepared,
  place: Workplace,
  given: Launch,
  stopping: Stopping,
): Promise<CallResult> {
  const at = await locateAgain(prepared, place, args.path, 'edit');
  const launch = unlessUnsaved(given, unsaved, at.real);
  const file = await readWhole(launch, at);
  refuseReadOnly(file, at);
  const edited = edit(args, at, file);
  const mayTell = place.gate?.(at.roots).text(at.real) !== false;
  if (!edited.ok) return failure(mayTell ? edited.problem : untold(at));
  const { print } = diff(at.shown, edited.before, edited.after);
  if (args.all === true && prepared.print !== undefined && print !== prepared.print) {
    return failure(
      mayTell
        ? `${at.shown} has changed since this edit was shown, and would change elsewhere too. Read it again.`
        : untold(at),
    );
  }
  stopping.commit();
  await replaceFile(launch, { path: at.real, bytes: edited.bytes, expected: file.version });
  const { output, failed } = success(
    mayTell ? { replaced: edited.count, line: edited.line } : { written: true },
  );
  return { output, failed, changes: [{ path: at.real, before: file.bytes, after: edited.bytes }] };
}

/** Of a file that is not free to be read not even this is told: whether `old` is in it, how often, and what is like it. */
const untold = ({ shown }: Located): string =>
  `This edit was not made in ${shown}. Reading that file is asked for or denied, so why is not told. Ask the person.`;

type Edited =
  | {
      readonly ok: true;
      readonly before: string;
      readonly after: string;
      readonly bytes: Buffer;
      readonly count: number;
      readonly line: number;
    }
  | { readonly ok: false; readonly problem: string };

function edit(args: Args, at: Located, file: WholeFile): Edited {
  asText(file.bytes, at);
  const encoding = encodingOf(file.bytes, true) ?? 'utf-8';
  const whole = workable(file.bytes, encoding);
  const old = whole.taken(args.old);
  const next = whole.taken(args.new);
  if (next === undefined)
    return { ok: false, problem: `new has characters that ${encoding}, the file's encoding, cannot hold.` };
  const replaced = old === undefined ? undefined : replace(whole.text, old, next, args.all === true);
  if (replaced === undefined) return { ok: false, problem: `old was not found in ${at.shown}.` };
  if (!replaced.ok) return { ok: false, problem: problem(args, at, whole, replaced.problem, replaced.count) };
  return {
    ok: true,
    before: whole.shown(whole.text),
    after: whole.shown(replaced.text),
    bytes: whole.bytes(replaced.text),
    count: replaced.count,
    line: replaced.line,
  };
}

function problem(
  args: Args,
  at: Located,
  whole: Workable,
  what: 'missing' | 'ambiguous' | 'unchanged',
  count: number,
): string {
  switch (what) {
    case 'ambiguous':
      return `old occurs ${count} times in ${at.shown}. Add lines around it, or set all.`;
    case 'unchanged':
      return `The edit changes nothing in ${at.shown}.`;
    case 'missing': {
      const near = nearest(whole.shown(whole.text), args.old);
      const hint =
        near === undefined
          ? ''
          : ` Line ${near.line} comes closest: ${JSON.stringify(near.text.slice(0, 200))}.`;
      return `old was not found in ${at.shown}.${hint}`;
    }
  }
}

/** Looks only. Undefined when the edit cannot be made as things are: an earlier call may still make it possible. */
async function tryEdit(args: Args, at: Located): Promise<{ before: string; after: string } | undefined> {
  try {
    const edited = edit(args, at, await readWhole(looking, at));
    return edited.ok ? edited : undefined;
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}
