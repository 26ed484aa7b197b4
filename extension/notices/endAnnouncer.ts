/**
 * Knows which ends of turns the person has not seen: it decides which are announced, and which rows are marked. It knows
 * time and sessions, and no editor.
 *
 * 1. An end counts once: when the newest turn of a session has ended `completed`, `failed`, or cut off with its host.
 *    What a person has stopped, or a host that they have ended, is no news.
 * 2. An end that is in front of the person is seen. Others are unseen until their chat is, also over a restart.
 * 3. Those that come within `GATHER_MS` are announced together; a session that goes on by then is left out.
 * 4. Ends of before the first look at this workspace are old, and those of a time in which no window was open are new.
 */
import { Emitter, type Event } from 'vscode-jsonrpc';
import type { Session, Snapshot } from '../../protocol';
import type { Clock } from '../clock';

/** Ends that belong together, as of all sessions that a lost host has left, come within this time, ms. */
export const GATHER_MS = 500;

/** What is kept between windows. */
export interface EndsKept {
  /** When the newest end that is known was, milliseconds since 1970. */
  readonly until: number;
  readonly unseen: readonly string[];
}

export interface EndAnnouncerOptions {
  readonly clock: Clock;
  /** The person looks at this session's chat. */
  visible(session: string): boolean;
  announce(sessions: readonly Session[]): void;
  keep(kept: EndsKept): void;
}

export class EndAnnouncer {
  private readonly changed = new Emitter<void>();
  /** The newest end of each session that was here, by its turn; undefined while it goes on. */
  private readonly known = new Map<string, string | undefined>();
  private readonly marked: Set<string>;
  private due = new Map<string, string>();
  private until: number | undefined;
  private snapshot: Snapshot | undefined;
  private callOff: (() => void) | undefined;

  /** Other sessions are unseen now. */
  readonly onChange: Event<void> = this.changed.event;

  constructor(
    private readonly options: EndAnnouncerOptions,
    kept: EndsKept | undefined,
  ) {
    this.until = kept?.until;
    this.marked = new Set(kept?.unseen);
  }

  /** Sessions of which an end has not been seen. */
  get unseen(): ReadonlySet<string> {
    return this.marked;
  }

  /** The lists as they stand now; undefined while they are not known. */
  follow(snapshot: Snapshot | undefined): void {
    this.snapshot = snapshot;
    if (snapshot === undefined) return;
    const before = this.until;
    let isOther = false;
    for (const session of snapshot.sessions) {
      const { ended } = session;
      const wasHere = this.known.has(session.id);
      if (wasHere && ended?.turn === this.known.get(session.id)) continue;
      this.known.set(session.id, ended?.turn);
      if (ended === undefined) continue;
      const isNew = before !== undefined && (wasHere || ended.at > before);
      this.until = Math.max(this.until ?? 0, ended.at);
      isOther = true;
      if (!isNew || !isNews(session)) continue;
      this.due.set(session.id, ended.turn);
      if (!this.options.visible(session.id)) this.marked.add(session.id);
    }
    if (before === undefined) this.until ??= 0;
    if (this.due.size > 0) this.callOff ??= this.options.clock.after(GATHER_MS, () => this.ring());
    const here = new Set<string>(snapshot.sessions.map(({ id }) => id));
    for (const id of this.known.keys()) if (!here.has(id)) this.known.delete(id);
    for (const id of this.marked) if (!here.has(id)) isOther = this.marked.delete(id) || isOther;
    if (isOther || before === undefined) this.tell();
  }

  /** Something has come into view. */
  look(): void {
    const seen = [...this.marked].filter((session) => this.options.visible(session));
    for (const session of seen) this.marked.delete(session);
    if (seen.length > 0) this.tell();
  }

  dispose(): void {
    this.callOff?.();
    this.changed.dispose();
  }

  private tell(): void {
    this.options.keep({ until: this.until ?? 0, unseen: [...this.marked] });
    this.changed.fire();
  }

  private ring(): void {
    this.callOff = undefined;
    const due = this.due;
    this.due = new Map();
    const sessions = (this.snapshot?.sessions ?? []).filter(
      ({ id, ended }) => ended !== undefined && due.get(id) === ended.turn && !this.options.visible(id),
    );
    if (sessions.length > 0) this.options.announce(sessions);
  }
}

function isNews({ ended, archived }: Session): boolean {
  if (ended === undefined || archived) return false;
  return ended.status !== 'interrupted' || ended.code === 'host_lost';
}
