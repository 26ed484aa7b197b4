/** The conversation as rows: what is drawn one under the other, and left out where nobody looks. */
import type { CallPart, Part, TurnView } from '../../protocol/transcript';

export type Row =
  | {
      readonly kind: 'part';
      readonly key: string;
      readonly turn: string;
      readonly part: Part;
      /** Steps that were made from inside a call: drawn with it (A8). */
      readonly steps: readonly CallPart[];
      /** The last part of an unfinished turn: the only one that may still be going on. */
      readonly newest: boolean;
    }
  | { readonly kind: 'continued'; readonly key: string; readonly turn: string }
  | { readonly kind: 'end'; readonly key: string; readonly turn: string; readonly view: TurnView };

/** The fold keeps a turn that it does not touch, so its rows are made once. */
const made = new WeakMap<TurnView, readonly Row[]>();

export function rowsOf(turns: readonly TurnView[]): readonly Row[] {
  return turns.flatMap((view) => rowsOfTurn(view));
}

function rowsOfTurn(view: TurnView): readonly Row[] {
  const known = made.get(view);
  if (known !== undefined) return known;
  const { turn, parts } = view;
  const live = view.endedAt === undefined;
  const steps = stepsOf(parts);
  const rows: Row[] = [
    ...(view.cause === 'continue'
      ? [{ kind: 'continued' as const, key: rowKey(turn, 'continued'), turn }]
      : []),
    ...parts.flatMap((part, index) =>
      (part.kind === 'call' && part.parent !== undefined) || isTriedAgain(part, parts[index + 1])
        ? []
        : [
            {
              kind: 'part' as const,
              key: rowKey(turn, partKey(part, firstOf(parts, index))),
              turn,
              part,
              steps: part.kind === 'call' ? (steps.get(part.call_id) ?? NONE) : NONE,
              newest: live && index === parts.length - 1,
            },
          ],
    ),
    { kind: 'end', key: rowKey(turn, 'end'), turn, view },
  ];
  made.set(view, rows);
  return rows;
}

/** Attempts that follow each other are one row: that of the last. */
const isTriedAgain = (part: Part, next: Part | undefined): boolean =>
  part.kind === 'retry' && next?.kind === 'retry';

/** Where a row of attempts began: it stays the same row. */
function firstOf(parts: readonly Part[], index: number): number {
  let first = index;
  while (parts[index]?.kind === 'retry' && parts[first - 1]?.kind === 'retry') first -= 1;
  return first;
}

const NONE: readonly CallPart[] = [];

/** Steps by the call that made them, in their order. */
function stepsOf(parts: readonly Part[]): ReadonlyMap<string, readonly CallPart[]> {
  const steps = new Map<string, CallPart[]>();
  for (const part of parts) {
    if (part.kind !== 'call' || part.parent === undefined) continue;
    const others = steps.get(part.parent);
    if (others === undefined) steps.set(part.parent, [part]);
    else others.push(part);
  }
  return steps;
}

/** The turn that a row's key belongs to: ids of turns hold no slash. */
export function turnOfKey(key: string): string {
  return key.split('/')[0] ?? key;
}

export function rowKey(turn: string, name: string): string {
  return `${turn}/${name}`;
}

export function partKey(part: Part, index: number): string {
  return part.kind === 'call'
    ? part.call_id
    : part.kind === 'message'
      ? part.message
      : `${part.kind}${index}`;
}
