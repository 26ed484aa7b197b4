/**
 * Where a client's call goes next (C2). Pure: the owner of its tool is looked up for each decision, never kept.
 * Q1 Only an absence that was seen arms the grace, and only for what needs no person.
 * Q2 While the cord is pulled or trust is gone it is handed to nobody, and its grace does not end.
 */

export interface DeliveryLook {
  /** It still waits for its answer. */
  readonly open: boolean;
  /** It is for a client to serve; else a person answers it from any list. */
  readonly delivered: boolean;
  readonly person: boolean;
  /** A client has it. */
  readonly taken: boolean;
  /** Nothing may start: paused, or not trusted. */
  readonly held: boolean;
  /** The client that serves its tool now. */
  readonly owner: string | undefined;
  /** Since when it has had none, ms. */
  readonly goneSince: number;
  readonly graceMs: number;
  readonly now: number;
}

export type Delivery =
  /** Somebody else decides when it goes on. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'hand_over'; readonly owner: string }
  | { readonly kind: 'grace'; readonly until: number }
  | { readonly kind: 'unserved' };

export function nextDelivery(look: DeliveryLook): Delivery {
  if (!look.open || !look.delivered || look.taken || look.held) return { kind: 'wait' };
  if (look.owner !== undefined) return { kind: 'hand_over', owner: look.owner };
  if (look.person) return { kind: 'wait' };
  const until = look.goneSince + look.graceMs;
  return until > look.now ? { kind: 'grace', until } : { kind: 'unserved' };
}
