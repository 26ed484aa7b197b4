/** The models of an ACP agent: an option of its sessions, of the category `model`. Pure. */
import { z } from 'zod';
import type { HarnessModel } from '../../../protocol';

const Value = z.looseObject({ value: z.string(), name: z.string(), description: z.string().nullish() });
const Group = z.looseObject({ options: z.array(Value) });
const Option = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  type: z.literal('select'),
  currentValue: z.string().optional(),
  options: z.union([z.array(Value), z.array(Group)]),
});
const Opened = z.looseObject({ configOptions: z.array(z.unknown()).nullish() });

export interface ModelOption {
  /** Of the option, by which it is set. */
  readonly id: string;
  readonly current: string | undefined;
  readonly models: readonly HarnessModel[];
}

/** What the reply to a new, loaded or resumed session says; undefined where its model cannot be chosen. */
export function modelOption(opened: unknown): ModelOption | undefined {
  const options = Opened.safeParse(opened).data?.configOptions ?? [];
  const option = options.map((one) => Option.safeParse(one).data).find((one) => one?.category === 'model');
  if (option === undefined) return undefined;
  const values = option.options.flatMap(
    (one) => Group.safeParse(one).data?.options ?? Value.safeParse(one).data ?? [],
  );
  return {
    id: option.id,
    current: option.currentValue,
    models: values.map(({ value, name, description }) => ({
      id: value,
      name,
      ...(typeof description === 'string' ? { detail: description } : {}),
    })),
  };
}
