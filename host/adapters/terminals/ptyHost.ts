/**
 * The PTY host: a process of its own that holds all terminals of one host.
 *
 * Owns the PTYs. Does not own what becomes of their processes: the host sees the trees and ends them. 1. A
 * program is started only under an epoch that no later one has replaced, checked in the same tick (P2); what
 * has come in by then is heard first. 2. When the host is gone, in whatever way, it hangs up and ends (X6).
 */
import { soon, systemClock } from '../../base/clock';
import { Backlog } from './backlog';
import { Input } from './input';
import type { FromPtyHost } from './fromPtyHost';
import { ToPtyHost } from './toPtyHost';
import { loadPty, type Pty, type PtyListener, type PtyRequest } from './pty';

type Open = Extract<ToPtyHost, { kind: 'open' }>;

interface Held {
  readonly pty: Pty;
  readonly input: Input;
  readonly backlog: Backlog;
}

class PtyHost {
  private readonly held = new Map<number, Held>();
  private readonly cancelled = new Set<number>();
  private newestEpoch = 0;

  constructor(
    private readonly start: (request: PtyRequest, listener: PtyListener) => Pty,
    private readonly say: (message: FromPtyHost) => void,
  ) {}

  hear(message: ToPtyHost): void {
    switch (message.kind) {
      case 'open':
        // A pull or a cancel that has come in behind it is heard first.
        soon(() => this.open(message));
        return;
      case 'cord':
        this.newestEpoch = Math.max(this.newestEpoch, message.epoch);
        return;
      case 'cancel':
        if (!this.held.has(message.id)) this.cancelled.add(message.id);
        return;
      case 'input':
        this.held.get(message.id)?.input.push(message.data);
        return;
      case 'drop':
        this.held.get(message.id)?.input.drop();
        return;
      case 'resize':
        this.held.get(message.id)?.pty.resize(message.cols, message.rows);
        return;
      case 'taken':
        this.held.get(message.id)?.backlog.taken(message.bytes);
        return;
      case 'close':
        this.close(message.id);
    }
  }

  /** The host is gone: what sits at the terminals is told so by the system, and what is deaf to that is ended. */
  end(): void {
    for (const [id, { pty }] of this.held) {
      signalGroup(pty.pid, 'SIGHUP');
      signalGroup(pty.pid, 'SIGKILL');
      this.close(id);
    }
  }

  private open(request: Open): void {
    const { id, epoch } = request;
    if (this.cancelled.delete(id)) {
      this.say({ kind: 'refused', id, why: 'cancelled', detail: '' });
      return;
    }
    if (epoch < this.newestEpoch) {
      this.say({ kind: 'refused', id, why: 'paused', detail: '' });
      return;
    }
    this.newestEpoch = epoch;
    try {
      this.hold(id, request);
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      this.say({ kind: 'refused', id, why: 'failed', detail });
    }
  }

  private hold(id: number, request: Open): void {
    const backlog = new Backlog((data, omitted) => this.say({ kind: 'output', id, data, omitted }));
    let isFlushing = false;
    const flush = (): void => {
      isFlushing = false;
      backlog.flush();
    };
    const pty = this.start(request, {
      onData: (bytes) => {
        backlog.add(bytes);
        // What the system has ready is read in one turn, and sent together.
        if (!isFlushing) soon(flush);
        isFlushing = true;
      },
      onExit: ({ code, signal }) => {
        backlog.flush(true);
        this.held.get(id)?.input.drop();
        this.held.delete(id);
        this.say({
          kind: 'exited',
          id,
          ...(code === undefined ? {} : { code }),
          ...(signal === undefined ? {} : { signal }),
        });
      },
    });
    const taken = (bytes: number): void => this.say({ kind: 'taken', id, bytes });
    this.held.set(id, { pty, backlog, input: new Input(systemClock, (bytes) => pty.write(bytes), taken) });
    this.say({ kind: 'opened', id, pid: pty.pid });
  }

  private close(id: number): void {
    const held = this.held.get(id);
    this.held.delete(id);
    held?.input.drop();
    held?.pty.close();
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has just gone.
  }
}

async function main(): Promise<void> {
  // The channel may break while a message is under way: the disconnect that follows says all.
  const say = (message: FromPtyHost): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  const host = new PtyHost(await loadPty(), say);
  process.on('message', (message) => host.hear(ToPtyHost.parse(message)));
  process.on('disconnect', () => {
    host.end();
    process.exit(0);
  });
  // A signal that is meant for the window's whole group ends the host as well, which then hangs up.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  say({ kind: 'ready' });
}

void main();
