/**
 * The host's end of the PTY host.
 *
 * Owns the process, from the first terminal on. 1. At most one lives; one that has gone is replaced with the
 * next terminal, and its terminals are told that they are lost. 2. What is sent goes out in order, or nowhere.
 */
import { forkBundle, type ChildProcess } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import { FromPtyHost, type ToPtyHost } from './messages';

export interface PtyProcessOptions {
  /** Absolute path of its bundle. */
  readonly bundle: string;
  /** Its environment, made after something watches over it. */
  readonly environment: (launch: Launch) => Readonly<Record<string, string>>;
  readonly log: Log;
}

type About = Extract<FromPtyHost, { readonly id: number }>;

/** A PTY host that answers. */
export interface PtyChannel {
  /** Tells it something; nothing happens when it is gone. */
  tell(message: ToPtyHost): void;
  /** Calls `listener` with what it says of one terminal, and `gone` when it goes; returns the end of that. */
  listen(id: number, listener: (message: About) => void, gone: () => void): () => void;
  /** Ends it at once. */
  kill(): void;
}

interface Listener {
  hear(message: About): void;
  gone(): void;
}

export class PtyProcess {
  private started: { readonly channel: Promise<PtyChannel>; readonly child: ChildProcess } | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: PtyProcessOptions) {}

  /** The one that runs, or a new one. Throws `CordPulled`; rejects when it cannot be started. */
  channel(launch: Launch): Promise<PtyChannel> {
    this.started ??= this.start(launch);
    return this.started.channel;
  }

  /** Lets it go, and with it whatever is still open; resolves when it is gone. */
  async dispose(): Promise<void> {
    const child = this.started?.child;
    this.started = undefined;
    if (child === undefined) return;
    child.ref();
    if (child.connected) child.disconnect();
    await this.ended;
  }

  private start(launch: Launch): { readonly channel: Promise<PtyChannel>; readonly child: ChildProcess } {
    const { options } = this;
    const child = forkBundle(launch, options.bundle, options.environment(launch));
    const listeners = new Map<number, Listener>();
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2_048)));
    const channel = channelOf(child, listeners);
    const ready = new Promise<PtyChannel>((resolve, reject) => {
      const gone = (how: string): void => {
        if (this.started?.child === child) {
          this.started = undefined;
          options.log('warn', `The host of terminals has ended (${how}). ${said}`.trim());
        }
        reject(new Error(`The host of terminals has ended (${how}).`));
        for (const listener of [...listeners.values()]) listener.gone();
        listeners.clear();
      };
      this.ended = new Promise((done) => {
        child.on('exit', (code, signal) => {
          gone(signal ?? String(code));
          done();
        });
        child.on('error', (error) => {
          gone(error.message);
          if (child.pid === undefined) done();
        });
      });
      child.on('message', (raw) => {
        const message = FromPtyHost.parse(raw);
        if (message.kind === 'ready') resolve(channel);
        else listeners.get(message.id)?.hear(message);
      });
    });
    ready.catch(() => {
      // Whoever waits for it is told; nobody may.
    });
    return { channel: ready, child };
  }
}

function channelOf(child: ChildProcess, listeners: Map<number, Listener>): PtyChannel {
  return {
    tell: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    listen: (id, hear, gone) => {
      listeners.set(id, { hear, gone });
      return () => listeners.delete(id);
    },
    kill: () => child.kill('SIGKILL'),
  };
}
