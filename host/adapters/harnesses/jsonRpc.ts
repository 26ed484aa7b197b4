/**
 * JSON-RPC between Belay and an agent, a line a message, both sides asking.
 * Owns the requests of ours that have no reply yet. 1. Ids of ours are numbers from 1 and are looked up only among
 * ours: the agent's own begin at 0 and may be the same numbers. 2. A reply that nobody waits for is dropped.
 */
import { z } from 'zod';
import { say } from '../../../protocol';

const Reply = z.looseObject({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
const Asked = z.looseObject({
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: z.unknown().optional(),
});
const Told = z.looseObject({ method: z.string(), params: z.unknown().optional() });

export type Incoming =
  | {
      readonly kind: 'asked';
      readonly id: number | string;
      readonly method: string;
      readonly params: unknown;
    }
  | { readonly kind: 'told'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'reply' };

/** Ids of an agent's requests are numbers or texts; to the engine they are texts. */
export const nameOf = (id: number | string): string => JSON.stringify(id);

const Id = z.union([z.number(), z.string()]);
export const idOf = (name: string): number | string => Id.parse(JSON.parse(name));

export class RpcRefused extends Error {
  constructor(
    readonly number: number,
    message: string,
  ) {
    super(message);
  }
}

export class Calls {
  private readonly open = new Map<
    number,
    { readonly settle: (result: unknown) => void; readonly fail: (error: Error) => void }
  >();
  private last = 0;

  /** Sends a request through `send`; its reply, or why there is none. */
  ask(method: string, params: object, send: (message: object) => boolean): Promise<unknown> {
    const id = ++this.last;
    return new Promise((settle, fail) => {
      this.open.set(id, { settle, fail });
      try {
        if (send({ id, method, params })) return;
        fail(new Error(say('Its process has gone.')));
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
      this.open.delete(id);
    });
  }

  /** Sorts a message; replies are given to who waits for them. */
  read(message: unknown): Incoming | undefined {
    const asked = Asked.safeParse(message).data;
    if (asked !== undefined)
      return { kind: 'asked', id: asked.id, method: asked.method, params: asked.params };
    const told = Told.safeParse(message).data;
    if (told !== undefined) return { kind: 'told', method: told.method, params: told.params };
    const reply = Reply.safeParse(message).data;
    if (reply === undefined) return undefined;
    const waiting = this.open.get(reply.id);
    this.open.delete(reply.id);
    if (reply.error === undefined) waiting?.settle(reply.result);
    else waiting?.fail(new RpcRefused(reply.error.code, reply.error.message));
    return { kind: 'reply' };
  }

  /** The process has gone: nobody answers any more. */
  dropAll(): void {
    for (const { fail } of this.open.values()) fail(new Error(say('Its process has gone.')));
    this.open.clear();
  }
}
