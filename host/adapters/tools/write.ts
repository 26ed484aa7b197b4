import { z } from 'zod';
import { MIB } from '../../../protocol';
import type { CallResult, Prepared, Workplace } from '../../engine/ports';
import { replaceFile, type FileVersion } from '../../base/effects';
import type { Launch } from '../../base/launch';
import { unlessUnsaved, type Unsaved } from '../../base/unsaved';
import type { Diff } from './diffPreview';
import { asText, looking, readWhole, refuseNoFile, refuseReadOnly, Unusable } from './disk';
import { pathTool } from './pathTool';
import { locate, locateAgain, type Located } from './paths';
import { encode, fits, lineEndsOf, withLineEnds, type Encoding } from './text';
import { failure, success, work, type Stopping, type Tool } from './tool';

/** A text that a model writes in one call, bytes. */
const WRITE_BYTES = 4 * MIB;

const Args = z
  .strictObject({ path: z.string().min(1).max(4096), text: z.string().max(WRITE_BYTES) })
  .refine((args) => !/\p{Surrogate}/u.test(args.text), 'text has half a character (a lone surrogate)');
type Args = z.infer<typeof Args>;

/**
 * A whole new content. What it replaces is lost, so it runs only if that is still what was shown; otherwise
 * the model has to look again.
 */
export function writeTool(diff: Diff, unsaved: Unsaved): Tool {
  return pathTool({
    name: 'write',
    description: 'Write a whole file; folders are made as needed. Use edit for changes.',
    args: Args,
    verb: 'Write',
    purpose: 'edit',
    show: async (args, at) => {
      const old = await tryOld(at);
      return old === undefined ? undefined : diff(at.shown, old.text, newText(args, old));
    },
    run: (args, prepared, place, launch) =>
      work((stopping) => run(args, diff, unsaved, prepared, place, launch, stopping)),
    sides: async (args, place) => {
      const at = await locate(place, args.path, 'edit');
      const old = await tryOld(at);
      if (old === undefined) return undefined;
      return {
        path: at.shown,
        before: old.text ?? '',
        after: newText(args, old),
        created: old.text === undefined,
      };
    },
  });
}

/** What is there now; `text` is undefined when nothing is. */
interface Old {
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly encoding: Encoding;
  readonly version?: FileVersion;
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
  const old = await oldOf(launch, at);
  const text = newText(args, old);
  if (prepared.print !== undefined && diff(at.shown, old.text, text).print !== prepared.print)
    return failure(`${at.shown} has changed since this was shown. Nothing was written. Read it again.`);
  const encoding = encodingFor(text, old.encoding);
  const bytes = encode(text, encoding);
  stopping.commit();
  await replaceFile(launch, { path: at.real, bytes, expected: old.version });
  const { output, failed } = success({
    bytes: bytes.length,
    created: old.version === undefined,
    ...(encoding === 'utf-8' ? {} : { encoding }),
  });
  return { output, failed, changes: [{ path: at.real, before: old.bytes, after: bytes }] };
}

/** Line ends stay those of the file. */
function newText(args: Args, old: Old): string {
  if (old.text === undefined) return args.text;
  return lineEndsOf(old.text) === 'crlf' ? withLineEnds(args.text, 'crlf') : args.text;
}

/** The file's own encoding, where it can hold the text; a whole new text needs no damage kept. */
function encodingFor(text: string, old: Encoding): Encoding {
  return old === 'utf-8-damaged' || !fits(text, old) ? 'utf-8' : old;
}

async function oldOf(launch: Launch, at: Located): Promise<Old> {
  if (at.kind === 'missing') return { encoding: 'utf-8' };
  refuseNoFile(at);
  const file = await readWhole(launch, at);
  refuseReadOnly(file, at);
  return { ...asText(file.bytes, at), bytes: file.bytes, version: file.version };
}

async function tryOld(at: Located): Promise<Old | undefined> {
  try {
    return await oldOf(looking, at);
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}
