/** What a permission request of the Agent Client Protocol asks for, and which of its own options answers it. Pure. */
import { z } from 'zod';
import { say } from '../../../../protocol';
import type { Deed, FileChange, HarnessVerdict } from '../../../engine/harnessPort';
import type { CallResult } from '../../../engine/ports';
import { quoted, unwrapped } from '../commandLine';

export const Option = z.looseObject({ optionId: z.string(), kind: z.string(), name: z.string().optional() });
type Option = z.infer<typeof Option>;

export type Outcome =
  { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };

/**
 * An answer is for this once: what shall hold longer is a rule of Belay's. Only what was offered is answered, and an
 * option that holds for always is never taken; an allow that cannot be told for once is told as a refusal, since the
 * turn goes on.
 */
export function outcomeOf(options: readonly Option[], verdict: HarnessVerdict): Outcome {
  const allow = verdict.allow ? options.find((one) => one.kind === 'allow_once') : undefined;
  const option = allow ?? options.find((one) => one.kind === 'reject_once');
  return option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId };
}

/** An allow can be told to the agent for once. */
export const canAllowOnce = (options: readonly Option[]): boolean =>
  options.some((one) => one.kind === 'allow_once');

/** What an allow comes to that the agent cannot be told for once. */
export const ONLY_FOR_ALWAYS: CallResult = {
  output: {
    error: 'request_undeliverable',
    detail: say(
      'The agent offers only to be allowed for always, which Belay never answers: it was told no. Set it up to ask each time.',
    ),
  },
  failed: true,
  ran: false,
};

const Command = z.looseObject({
  command: z.union([z.string(), z.array(z.string()).min(1)]),
  cwd: z.string().optional(),
});
const Diff = z.looseObject({
  type: z.literal('diff'),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
});
const Location = z.looseObject({ path: z.string() });

/**
 * What a call does, from its kind and what the agent tells of it; the strictest of what it tells, since the kind is the
 * agent's own word. A command is one under every kind, and what a call changes is everything that it names.
 */
export function deedOf(call: {
  readonly kind: string | undefined;
  readonly rawInput: unknown;
  readonly content: readonly unknown[];
  readonly locations: readonly unknown[];
}): Deed {
  const paths = call.locations.flatMap((one) => Location.safeParse(one).data?.path ?? []);
  const diffs = call.content.flatMap((one) => Diff.safeParse(one).data ?? []);
  const changes = changesOf(diffs, paths);
  const isEdit = diffs.length > 0 || EDITS.has(call.kind ?? '');
  const command = Command.safeParse(call.rawInput).data;
  if (command !== undefined)
    return {
      kind: 'command',
      command: lineOf(command.command),
      folder: command.cwd,
      ...(isEdit ? { edits: changes.map((change) => change.path) } : {}),
    };
  if (isEdit) return changes.length === 0 ? { kind: 'other' } : { kind: 'edit', changes };
  switch (call.kind) {
    case 'read':
    case 'search':
      return paths.length === 0 ? { kind: 'other' } : { kind: 'read', paths };
    case 'think':
    case 'switch_mode':
      return { kind: 'own' };
    default:
      return { kind: 'other' };
  }
}

/** What a permission is asked for is never the agent's own affair: a switch of its mode would widen what it may do. */
export const askedDeed = (deed: Deed): Deed => (deed.kind === 'own' ? { kind: 'other' } : deed);

const EDITS: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** The diffs, and what else is named: the target of a move, for one. */
function changesOf(diffs: readonly z.infer<typeof Diff>[], paths: readonly string[]): readonly FileChange[] {
  const shown = new Set(diffs.map((diff) => diff.path));
  return [
    ...diffs.map((diff): FileChange => ({
      kind: 'text',
      path: diff.path,
      before: diff.oldText ?? undefined,
      after: diff.newText,
    })),
    ...[...new Set(paths)]
      .filter((path) => !shown.has(path))
      .map((path): FileChange => ({ kind: 'unknown', path })),
  ];
}

const lineOf = (command: string | readonly string[]): string =>
  typeof command === 'string' ? command : unwrapped(command.map(quoted).join(' '));
