import type { Handle, Session, Snapshot } from '../protocol';

/** What the snapshot comes to in numbers, for the status bar, badges and `when` clauses. */
export interface Summary {
  readonly approvals: number;
  readonly questions: number;
  /** Sessions in which something is going on. */
  readonly running: number;
  readonly sessions: number;
  readonly cutOff: number;
  readonly handles: number;
  readonly openHandles: number;
  /** Terminals that run. */
  readonly terminals: number;
  readonly servers: number;
  readonly paused: boolean;
}

const NOTHING: Summary = {
  approvals: 0,
  questions: 0,
  running: 0,
  sessions: 0,
  cutOff: 0,
  handles: 0,
  openHandles: 0,
  terminals: 0,
  servers: 0,
  paused: false,
};

export function summarize(snapshot: Snapshot | undefined): Summary {
  if (snapshot === undefined) return NOTHING;
  const approvals = snapshot.needs.filter((need) => need.kind === 'approval').length;
  const sessions = snapshot.sessions.filter((session) => !session.archived);
  return {
    approvals,
    questions: snapshot.needs.length - approvals,
    running: sessions.filter(isLive).length,
    sessions: sessions.length,
    cutOff: sessions.filter(isCutOff).length,
    handles: snapshot.handles.length,
    openHandles: snapshot.handles.filter((handle) => handle.state !== 'ended').length,
    terminals: snapshot.handles.filter(isOpenTerminal).length,
    servers: snapshot.servers.length,
    paused: snapshot.host.paused,
  };
}

/** A terminal that can be attached to. */
export const isOpenTerminal = (handle: Handle): boolean =>
  handle.kind === 'terminal' && handle.state === 'running';

/** A session whose turn moves by itself: it neither rests nor waits for the person nor for the cord. */
export function isLive(session: Session): boolean {
  return session.state === 'running' || session.state === 'queued' || session.state === 'paced';
}

/** A session whose newest turn ended before its work did, so that Continue makes sense (T10). */
export function isCutOff(session: Session): boolean {
  return (
    session.state === 'idle' &&
    (session.ended?.status === 'interrupted' || session.ended?.status === 'failed')
  );
}
