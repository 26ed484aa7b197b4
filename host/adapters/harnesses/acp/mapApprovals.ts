/** What a permission request of the Agent Client Protocol asks for, and which of its own options answers it. Pure. */
import { z } from 'zod';
import type { Deed, FileChange, HarnessVerdict } from '../../../engine/harnessPort';

export const Option = z.looseObject({ optionId: z.string(), kind: z.string(), name: z.string().optional() });
type Option = z.infer<typeof Option>;

export type Outcome =
  { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };

/** An allow is for this once: what shall hold longer is a rule of Belay's. Only what was offered is answered. */
export function outcomeOf(options: readonly Option[], verdict: HarnessVerdict): Outcome {
  const kinds = verdict.allow ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return { outcome: 'selected', optionId: option.optionId };
  }
  return { outcome: 'cancelled' };
}

const Command = z.looseObject({ command: z.string(), cwd: z.string().optional() });
const Diff = z.looseObject({
  type: z.literal('diff'),
  path: z.string(),
  oldText: z.string().nullish(),
  newText: z.string(),
});
const Location = z.looseObject({ path: z.string() });

/** What a call does, from its kind and what the agent tells of it. */
export function deedOf(call: {
  readonly kind: string | undefined;
  readonly rawInput: unknown;
  readonly content: readonly unknown[];
  readonly locations: readonly unknown[];
}): Deed {
  const paths = call.locations.flatMap((one) => Location.safeParse(one).data?.path ?? []);
  switch (call.kind) {
    case 'execute': {
      const command = Command.safeParse(call.rawInput).data;
      return command === undefined
        ? { kind: 'other' }
        : { kind: 'command', command: command.command, folder: command.cwd };
    }
    case 'edit':
    case 'delete':
    case 'move': {
      const told = call.content.flatMap((one): readonly FileChange[] => {
        const diff = Diff.safeParse(one).data;
        return diff === undefined
          ? []
          : [{ kind: 'text', path: diff.path, before: diff.oldText ?? undefined, after: diff.newText }];
      });
      const changes = told.length > 0 ? told : paths.map((path): FileChange => ({ kind: 'unknown', path }));
      return changes.length === 0 ? { kind: 'other' } : { kind: 'edit', changes };
    }
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
