import { Emitter, type Event } from 'vscode-jsonrpc';

/** Sessions of which the person has not seen an end, as the lists mark them. */
export class Unseen {
  private readonly changed = new Emitter<void>();
  private sessions: ReadonlySet<string> = new Set();
  readonly onChange: Event<void> = this.changed.event;

  has(session: string): boolean {
    return this.sessions.has(session);
  }

  set(sessions: ReadonlySet<string>): void {
    this.sessions = new Set(sessions);
    this.changed.fire();
  }
}
