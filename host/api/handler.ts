import type { z } from 'zod';
import { Methods, PAGE_ITEMS, type Method, type ParsedOf, type ResultOf, say } from '../../protocol';
import { RequestError } from '../engine/errors';
import type { Host } from './host';

/** What answers a method. Params are parsed; what it throws becomes an error reply. */
export type Handlers = {
  readonly [M in Method]?: (params: ParsedOf<M>, host: Host) => Promise<ResultOf<M>> | ResultOf<M>;
};

export const isMethod = (name: string): name is Method => Object.hasOwn(Methods, name);

/** Parses the params of a method and calls its handler; undefined when there is none. */
export function call<M extends Method>(
  handlers: Handlers,
  method: M,
  params: unknown,
  host: Host,
): Promise<ResultOf<M>> | ResultOf<M> | undefined {
  const handler = handlers[method];
  if (handler === undefined) return undefined;
  return handler(parsed(method, params), host);
}

/** The methods by name, so that a method and its params stay one type. */
const schemas: { readonly [M in Method]: { readonly params: z.ZodType<ParsedOf<M>> } } = Methods;

function parsed<M extends Method>(method: M, params: unknown): ParsedOf<M> {
  const result = schemas[method].params.safeParse(params ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = issue === undefined || issue.path.length === 0 ? 'The request' : `"${issue.path.join('.')}"`;
  throw new RequestError(
    'invalid_params',
    say('{place} is not right: {reason}', { place, reason: issue?.message ?? 'unknown' }),
    {
      issues: result.error.issues
        .slice(0, 16)
        .map((one) => ({ path: one.path.join('.'), message: one.message })),
    },
  );
}

/** The number in a cursor, or `first` without one. */
export function cursorOf(cursor: string | undefined, first: number): number {
  if (cursor === undefined) return first;
  const place = Number(cursor);
  if (!Number.isSafeInteger(place) || place < 0)
    throw new RequestError('invalid_params', say('"cursor" is not one that a listing has given.'));
  return place;
}

/** A page of at most `limit` items out of `limit + 1` that were read. */
export function page<T>(
  items: readonly T[],
  limit: number,
  placeOf: (item: T) => number,
): { items: T[]; next?: string } {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown,
    ...(items.length > limit && last !== undefined ? { next: String(placeOf(last)) } : {}),
  };
}

export const limitOf = (limit: number | undefined): number => limit ?? PAGE_ITEMS;
