/**
 * A helper process of ours that runs a bundle of its own, and the host's end of it.
 *
 * Owns the process, from the first use on. 1. At most one lives; one that has gone is replaced with the next use,
 * and whoever listens is told that it is lost. 2. What is sent goes out in order, or nowhere.
 */
import { Socket } from 'node:net';
import { soon } from './clock';
import { forkBundle, type ChildProcess } from './effects';
import type { Launch } from './launch';
import type { Log } from './log';

export interface BundleProcessOptions<From> {
  /** What it is called in the log and in errors: `The host of terminals`. */
  readonly name: string;
  /** Absolute path of its bundle. */
  readonly bundle: string;
  /** Its environment, made after something watches over it. */
  readonly environment: (launch: Launch) => Readonly<Record<string, string>>;
  readonly log: Log;
  /** Throws at what it does not understand. */
  readonly parse: (message: unknown) => From;
}

/** The end of a pipe that such a process has sent. */
export type PipeEnd = Socket;

/** What such a process says: once that it is ready, and from then on always of somebody's number. */
type Said = { readonly kind: 'ready' } | { readonly kind: string; readonly id: number };

type About<From> = Extract<From, { readonly id: number }>;

/** A process that answers. */
export interface Channel<To, From> {
  /** Tells it something; nothing happens when it is gone. */
  tell(message: To): void;
  /**
   * Calls `hear` with what it says of one number, and the open end of a pipe where one comes with it, and `gone` when
   * it goes, or at once when it has gone; returns the end of that.
   */
  listen(
    id: number,
    hear: (message: About<From>, end: PipeEnd | undefined) => void,
    gone: () => void,
  ): () => void;
  /** Ends it at once. */
  kill(): void;
}

interface Listener<From> {
  hear(message: About<From>, end: PipeEnd | undefined): void;
  gone(): void;
}

interface Listeners<From> {
  isGone: boolean;
  readonly of: Map<number, Listener<From>>;
}

interface Running<To, From> {
  readonly channel: Promise<Channel<To, From>>;
  readonly child: ChildProcess;
}

/** How long a pull waits for such a process's word that something will not be started, ms (P2); then it is ended. */
export const WORD_MS = 250;

/** Characters kept of what it printed as errors, for the log. */
const SAID_CHARS = 2_048;

export class BundleProcess<To extends object, From extends Said> {
  private started: Running<To, From> | undefined;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: BundleProcessOptions<From>) {}

  /** The one that runs, or a new one. Throws `CordPulled`; rejects when it cannot be started. */
  channel(launch: Launch): Promise<Channel<To, From>> {
    this.started ??= this.start(launch);
    return this.started.channel;
  }

  /** Lets it go, and with it whatever it still holds; resolves when it is gone. */
  async dispose(): Promise<void> {
    const child = this.started?.child;
    this.started = undefined;
    if (child === undefined) return;
    child.ref();
    if (child.connected) child.disconnect();
    await this.ended;
  }

  private start(launch: Launch): Running<To, From> {
    const { name, bundle, environment, log, parse } = this.options;
    const child = forkBundle(launch, bundle, environment(launch));
    const listeners: Listeners<From> = { isGone: false, of: new Map() };
    let said = '';
    child.stderr?.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-SAID_CHARS)));
    const ready = new Promise<Channel<To, From>>((resolve, reject) => {
      const gone = (how: string): void => {
        if (this.started?.child === child) {
          this.started = undefined;
          log('warn', `${name} has ended (${how}). ${said}`.trim());
        }
        reject(new Error(`${name} has ended (${how}).`));
        listeners.isGone = true;
        for (const listener of [...listeners.of.values()]) listener.gone();
        listeners.of.clear();
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
      child.on('message', (raw, handle) => {
        const message = parse(raw);
        const end = handle instanceof Socket ? handle : undefined;
        const listener = isAbout(message) ? listeners.of.get(message.id) : undefined;
        if (isAbout(message)) listener?.hear(message, end);
        if (listener === undefined) end?.destroy();
        if (message.kind === 'ready') resolve(channelOf(child, listeners));
      });
    });
    ready.catch(() => {
      // Whoever waits for it is told; nobody may.
    });
    return { channel: ready, child };
  }
}

function isAbout<From extends Said>(message: From): message is About<From> {
  return 'id' in message;
}

function channelOf<To extends object, From>(
  child: ChildProcess,
  listeners: Listeners<From>,
): Channel<To, From> {
  return {
    tell: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    listen: (id, hear, gone) => {
      if (listeners.isGone) soon(gone);
      else listeners.of.set(id, { hear, gone });
      return () => listeners.of.delete(id);
    },
    kill: () => child.kill('SIGKILL'),
  };
}
