import { z } from 'zod';
import { say, type Image, type ToolSpec } from '../../../protocol';
import type {
  CallResult,
  Prepared,
  Run,
  Steps,
  StopReason,
  ToolPort,
  Unsound,
  Workplace,
} from '../../engine/ports';
import type { Launch } from '../../base/launch';
import { FileUnsaved } from '../../base/unsaved';

type OnOutput = Parameters<ToolPort['run']>[3];
export type Sides = Awaited<ReturnType<ToolPort['sides']>>;

/** One tool as its file defines it; `A` is what its schema parses. */
export interface Definition<A> {
  readonly name: string;
  /** For the model: short, since it is paid with every request. */
  readonly description: string;
  readonly args: z.ZodType<A>;
  prepare(args: A, place: Workplace): Promise<Prepared | Unsound>;
  /** Absent for the engine's own tools, which it runs itself. */
  run?(args: A, prepared: Prepared, place: Workplace, launch: Launch, onOutput: OnOutput, steps: Steps): Run;
  sides?(args: A, place: Workplace): Promise<Sides>;
}

/** A tool in the registry: its arguments are parsed at each entrance, so that no one has to trust them. */
export interface Tool {
  readonly spec: ToolSpec;
  prepare(args: unknown, place: Workplace): Promise<Prepared | Unsound>;
  run(prepared: Prepared, place: Workplace, launch: Launch, onOutput: OnOutput, steps: Steps): Run;
  sides(prepared: Prepared, place: Workplace): Promise<Sides>;
}

export function defineTool<A>(tool: Definition<A>): Tool {
  return {
    spec: { name: tool.name, description: tool.description, schema: schemaOf(tool.args) },
    prepare: async (args, place) => {
      const parsed = tool.args.safeParse(args);
      return parsed.success ? tool.prepare(parsed.data, place) : unsound(problems(parsed.error));
    },
    run: (prepared, place, launch, onOutput, steps) => {
      const parsed = tool.args.safeParse(prepared.args);
      if (!parsed.success) return settled(failure(problems(parsed.error)));
      if (tool.run === undefined) return settled(failure(`${tool.name} is run by the host itself.`));
      return tool.run(parsed.data, prepared, place, launch, onOutput, steps);
    },
    sides: async (prepared, place) => {
      const parsed = tool.args.safeParse(prepared.args);
      return parsed.success ? tool.sides?.(parsed.data, place) : undefined;
    },
  };
}

export function unsound(detail: string): Unsound {
  return { error: 'tool_arguments_invalid', detail };
}

export function failure(detail: string): CallResult {
  return { output: { error: 'tool_failed', detail }, failed: true };
}

export function success(output: Readonly<Record<string, unknown>>, images?: readonly Image[]): CallResult {
  return { output, failed: false, ...(images === undefined ? {} : { images }) };
}

/** A run that was over before it began. */
export function settled(result: CallResult): Run {
  return {
    done: Promise.resolve(result),
    stop: () => Promise.resolve({ stopped: true, survivors: [] }),
    detach: () => {},
    read: (offset) => ({ text: '', offset, total: 0 }),
  };
}

/** What a model reads of each way to be stopped. */
const STOPPED = {
  cancelled: { error: 'cancelled', detail: say('The turn was interrupted before this call ended.') },
  host_paused: { error: 'host_paused', detail: say('The person paused everything; this call was ended.') },
  host_stopped: { error: 'stopped', detail: say('Belay was shutting down.') },
  stopped: { error: 'stopped', detail: say('This call was stopped.') },
  superseded: { error: 'cancelled', detail: say('This call was replaced by another one.') },
} as const satisfies Record<StopReason, { error: string; detail: string }>;

export function stoppedResult(reason: StopReason): CallResult {
  return { output: STOPPED[reason], failed: true };
}

/** What ends a run from outside; thrown by `Stopping`. */
class Stopped extends Error {}

/** Says whether a run was asked to end, to the work that it consists of. */
export interface Stopping {
  /** Throws once the run was asked to end. */
  check(): void;
  /** The same, to be called right before the effect: from then on the result is awaited, being the truth. */
  commit(): void;
}

/**
 * A run made of file work. It starts at once; a stop before its effect ends it at once, even if the disk does
 * not answer, and the effect then never happens. An effect that has begun is whole, so its result stands.
 */
export function work(start: (stopping: Stopping) => Promise<CallResult>): Run {
  let reason: StopReason | undefined;
  let committed = false;
  let settle: (result: CallResult) => void = () => {};
  const check = (): void => {
    if (reason !== undefined) throw new Stopped();
  };
  const commit = (): void => {
    check();
    committed = true;
  };
  const done = new Promise<CallResult>((resolve) => (settle = resolve));
  start({ check, commit }).then(settle, (error: unknown) =>
    settle(reason !== undefined && error instanceof Stopped ? stoppedResult(reason) : failed(error)),
  );
  return {
    done,
    stop: async (why) => {
      reason ??= why;
      if (!committed) settle(stoppedResult(reason));
      await done;
      return { stopped: true, survivors: [] };
    },
    detach: () => {},
    read: (offset) => ({ text: '', offset, total: 0 }),
  };
}

/** What a model reads of a file that it may not write. */
const UNSAVED = say(
  'The person has unsaved changes to this file in their editor. Nothing was written. Ask them to save or discard the changes, then read it again.',
);

/** The result of work that threw: refusals of the cord (P1) and for unsaved changes keep their own codes. */
export function failed(error: unknown): CallResult {
  if (error instanceof FileUnsaved) return { output: { error: error.code, detail: UNSAVED }, failed: true };
  if (error instanceof Error && 'code' in error && error.code === 'host_paused') {
    return {
      output: { error: 'host_paused', detail: say('Paused before it started: nothing was done.') },
      failed: true,
      ran: false,
    };
  }
  return failure(sentence(error));
}

/** System errors in words that help a model; others by their own message. */
export function sentence(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return SENTENCES.get(code) ?? error.message;
}

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'No such file or folder.'],
  ['EACCES', 'Permission denied.'],
  ['EPERM', 'Permission denied.'],
  ['EROFS', 'The file system is read-only.'],
  ['ENOSPC', 'The disk is full.'],
  ['EISDIR', 'It is a folder, not a file.'],
  ['ENOTDIR', 'A part of the path is a file, not a folder.'],
  ['ELOOP', 'The path goes through too many symbolic links, or through one that has just changed.'],
  ['ENAMETOOLONG', 'The path is too long.'],
  ['EMFILE', 'Too many files are open.'],
  ['ENFILE', 'Too many files are open.'],
  ['EBUSY', 'The file is in use.'],
  ['ETXTBSY', 'The file is a program that is running.'],
]);

function problems(error: z.ZodError): string {
  return error.issues
    .slice(0, 4)
    .map((issue) => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ')
    .slice(0, 1_000);
}

/** The JSON schema without what costs tokens and says nothing: the dialect and the bounds of safe integers. */
function schemaOf(args: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(args, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      delete jsonSchema.minLength;
      delete jsonSchema.maxLength;
    },
  });
  return schema;
}
