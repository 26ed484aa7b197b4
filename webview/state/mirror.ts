/**
 * The page's copy of what the host shows: the lists, and the turns of the shown session. Pure folds over the
 * same reducers as the host's.
 *
 * Invariants: (1) a stored event is folded once, in order; (2) a missing one is told as a gap and never folded
 * over; (3) the transcript holds a run of whole turns without holes, oldest first.
 */
import type { BelayEvent, EventType } from '../../protocol/events';
import type { SessionId, TurnId } from '../../protocol/ids';
import type { Need, Snapshot } from '../../protocol/host';
import type { Session } from '../../protocol/session';
import type { TurnView } from '../../protocol/transcript';
import { reduceSnapshot } from '../../protocol/snapshot';
import { reduceTranscript } from '../../protocol/foldTranscript';

export interface Transcript {
  readonly session: SessionId;
  readonly turns: readonly TurnView[];
  /** The `before` of the page of older turns; absent when the oldest turn is here. */
  readonly older?: TurnId;
  /** Stored events up to this one are in `turns`. */
  readonly seq: number;
}

export interface Mirror {
  readonly snapshot: Snapshot;
  readonly transcript?: Transcript;
}

/** Turns kept in the page while the person reads the newest; older ones are read again when asked for. */
export const TURNS_KEPT = 64;
const TURNS_MOST = 96;

export function foldEvent(mirror: Mirror, event: BelayEvent): Mirror | 'gap' {
  const known = mirror.snapshot.seq;
  if (isTransient(event.type)) {
    if (event.seq > known) return 'gap';
  } else {
    if (event.seq <= known) return mirror;
    if (event.seq !== known + 1) return 'gap';
  }
  const snapshot = reduceSnapshot(mirror.snapshot, event);
  const { transcript } = mirror;
  return transcript === undefined
    ? { snapshot }
    : { snapshot, transcript: foldTranscript(transcript, event) };
}

/** Folds an event into the turns, unless they hold it already or belong to another session. */
export function foldTranscript(transcript: Transcript, event: BelayEvent): Transcript {
  if (event.session !== transcript.session) return transcript;
  if (!isTransient(event.type) && event.seq <= transcript.seq) return transcript;
  const turns = reduceTranscript(transcript.turns, event);
  return turns === transcript.turns
    ? transcript
    : { ...transcript, turns, seq: Math.max(transcript.seq, event.seq) };
}

/** Puts a page of older turns before those that are here. */
export function prependTurns(
  transcript: Transcript,
  page: { readonly items: readonly TurnView[]; readonly next?: string | undefined },
  next: TurnId | undefined,
): Transcript {
  const here = new Set<string>(transcript.turns.map((turn) => turn.turn));
  const { older: _older, ...rest } = transcript;
  const turns = [...page.items.filter((turn) => !here.has(turn.turn)), ...transcript.turns];
  return next === undefined ? { ...rest, turns } : { ...rest, turns, older: next };
}

/** Lets go of the oldest turns of a long session. They are in the store, and come back when asked for. */
export function trimTurns(transcript: Transcript): Transcript {
  if (transcript.turns.length <= TURNS_MOST) return transcript;
  const turns = transcript.turns.slice(-TURNS_KEPT);
  const first = turns[0];
  return first === undefined ? transcript : { ...transcript, turns, older: first.turn };
}

/** Events that are shown and not kept. The list is the protocol's `TRANSIENT`; a test compares them. */
export function isTransient(type: EventType): boolean {
  return TRANSIENT_TYPES.has(type);
}
export const TRANSIENT_TYPES: ReadonlySet<EventType> = new Set<EventType>([
  'text_delta',
  'reasoning_delta',
  'tool_progress',
  'store_changed',
  'unsaved_changed',
]);

export function sessionOf(snapshot: Snapshot | undefined, id: string | undefined): Session | undefined {
  return id === undefined ? undefined : snapshot?.sessions.find((session) => session.id === id);
}

export function needId(need: Need): string {
  return need.kind === 'approval' ? need.approval.id : need.question.id;
}

/** What approvals and questions have in common. */
export function needOf(need: Need) {
  return need.kind === 'approval' ? need.approval : need.question;
}
