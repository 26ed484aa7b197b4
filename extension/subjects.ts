/** Finds what a command is meant for, from a tree's row or from a caller's own words, in the snapshot of now. */
import type { Approval, Handle, HandleId, Question, Server, Session, Snapshot } from '../protocol';
import { SCHEMES } from './ids';
import { isRecord } from './hostError';

type Lists = Snapshot | undefined;

export function approvalOf(snapshot: Lists, target: unknown): Approval | undefined {
  const id = wanted(target, 'approval');
  if (id === undefined) return undefined;
  const need = snapshot?.needs.find((one) => one.kind === 'approval' && one.approval.id === id);
  if (need?.kind !== 'approval') return undefined;
  // Announced again, it may be about another text than the one that is shown there (A4).
  const shown = shownRequest(target);
  return shown === undefined || shown === String(need.approval.request) ? need.approval : undefined;
}

export function questionOf(snapshot: Lists, target: unknown): Question | undefined {
  const id = wanted(target, 'question');
  if (id === undefined) return undefined;
  const need = snapshot?.needs.find((one) => one.kind === 'question' && one.question.id === id);
  return need?.kind === 'question' ? need.question : undefined;
}

export function sessionOf(snapshot: Lists, target: unknown): Session | undefined {
  const id = wanted(target, 'session');
  return id === undefined ? undefined : snapshot?.sessions.find((one) => one.id === id);
}

/** The id of a handle, listed or not: the host keeps more of them than the lists show. */
export function handleNamed(target: unknown): HandleId | undefined {
  const id = wanted(target, 'handle');
  return isHandleId(id) ? id : undefined;
}

/** The host reads one that it cannot have made as unknown. */
function isHandleId(id: string | undefined): id is HandleId {
  return id !== undefined;
}

export function handleOf(snapshot: Lists, target: unknown): Handle | undefined {
  const id = wanted(target, 'handle');
  return id === undefined ? undefined : snapshot?.handles.find((one) => one.id === id);
}

/** A file that the agent has changed: in one turn, or without one in the session. */
export function changeOf(
  target: unknown,
): { readonly change?: string; readonly session: string; readonly turn?: string } | undefined {
  const session = wanted(target, 'session');
  const change = wanted(target, 'change');
  const turn = wanted(target, 'turn');
  if (session === undefined) return undefined;
  return {
    session,
    ...(change === undefined ? {} : { change }),
    ...(turn === undefined ? {} : { turn }),
  };
}

export function serverOf(snapshot: Lists, target: unknown): Server | undefined {
  const id = wanted(target, 'server');
  return id === undefined ? undefined : snapshot?.servers.find((one) => one.id === id);
}

/** A button in the title of a diff editor hands over the address of the document. */
function shownIn(target: unknown): URLSearchParams | undefined {
  const isDiff = isRecord(target) && target['scheme'] === SCHEMES.diff && 'query' in target;
  return isDiff ? new URLSearchParams(String(target['query'])) : undefined;
}

const shownRequest = (target: unknown): string | undefined => shownIn(target)?.get('request') ?? undefined;

function wanted(target: unknown, kind: string): string | undefined {
  if (typeof target !== 'object' || target === null) return undefined;
  if (kind === 'approval') {
    const shown = shownIn(target);
    if (shown !== undefined) return shown.get('approval') ?? undefined;
  }
  const holder: unknown = 'subject' in target ? target.subject : target;
  const id = isRecord(holder) ? holder[kind] : undefined;
  return typeof id === 'string' ? id : undefined;
}
