/**
 * A whole host in a thread, spoken to in plain JSON-RPC objects as any client would. It owns the host and a fresh
 * folder for store and workspace; `stop` ends both.
 *
 * Waiting is by event: `next` takes the first event of a kind after a place in the order, so it never matches
 * an old one, and needs no clock.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  reduceSnapshot,
  reduceTranscript,
  WINDOW_KEY,
  type BelayEvent,
  type EventOf,
  type EventType,
  type HandleShowing,
  type Method,
  type ParamsOf,
  type ResultOf,
  type Snapshot,
  type TurnView,
} from '../../protocol';
import { atTheEnd } from '../run/ends';
import { startHostThread, type Bundle, type HostThread } from './hostThread';

export class Refused extends Error {
  constructor(
    readonly number: number,
    message: string,
    readonly data: Record<string, unknown>,
  ) {
    super(message);
  }
  get code(): unknown {
    return this.data['code'];
  }
}

interface Frame {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { code: number; message: string; data?: Record<string, unknown> };
}

export interface HostOptions {
  readonly settings?: unknown;
  readonly storeDir?: string;
  readonly workspace?: string;
  readonly folders?: readonly string[];
  readonly trusted?: boolean;
  /** Where the person's rules for all workspaces are; none by default. */
  readonly rulesDir?: string;
  /** Answers what the host asks its client. */
  readonly serve?: (method: string, params: unknown) => unknown;
  /** Where the windows of one user find each other; by default each store is alone. */
  readonly runtimeDir?: string;
  /** This user's secret, which windows know each other by; `none` for a client that has none. */
  readonly windowKey?: string;
  /** Another bundle than the product's, and what its worker is given. */
  readonly bundle?: Bundle;
}

/** All windows of a test run are one user's. */
export const WINDOW_SECRET = randomBytes(32).toString('hex');

const isForKey = ({ method, params }: Frame): boolean =>
  method === 'secret/get' && (params as { name: string }).name === WINDOW_KEY;

export class HostClient {
  readonly events: BelayEvent[] = [];
  readonly logs: string[] = [];
  readonly exited: Promise<void>;
  snapshot: Snapshot | undefined;
  turns: readonly TurnView[] = [];
  private readonly showings = new Set<(showing: HandleShowing) => void>();
  private readonly waiting = new Map<number | string, (frame: Frame) => void>();
  private readonly watchers = new Set<() => void>();
  private readonly stray: Frame[] = [];
  private ids = 0;
  private readonly thread: HostThread;
  private cleanUp: string | undefined;

  private constructor(
    readonly storeDir: string,
    readonly workspace: string,
    private readonly options: HostOptions,
    own: string | undefined,
  ) {
    this.cleanUp = own;
    const env = { ...process.env, XDG_RUNTIME_DIR: options.runtimeDir ?? runtimeOf(storeDir) };
    this.thread = startHostThread(env, options.bundle);
    this.exited = this.thread.exited;
    this.thread.onFrame((frame) => this.receive(frame as Frame));
    this.thread.onError((error) => this.logs.push(String(error)));
  }

  /** Starts a host, initializes it and subscribes. */
  static async start(options: HostOptions = {}): Promise<HostClient> {
    const client = HostClient.spawn(options);
    await client.initialize();
    return client;
  }

  static spawn(options: HostOptions = {}): HostClient {
    const own =
      options.storeDir === undefined || options.workspace === undefined
        ? mkdtempSync(join(tmpdir(), 'belay-host-'))
        : undefined;
    const workspace = options.workspace ?? mkdtempSync(join(own ?? tmpdir(), 'workspace-'));
    const storeDir = options.storeDir ?? join(own ?? tmpdir(), 'store');
    return new HostClient(storeDir, workspace, options, own);
  }

  async initialize(): Promise<ResultOf<'initialize'>> {
    const result = await this.request('initialize', {
      protocolVersion: 1,
      client: { name: 'test', version: '0' },
      storeDir: this.storeDir,
      folders: (this.options.folders ?? [this.workspace]).map((path) => ({ path, name: path })),
      settings: this.options.settings ?? {},
      trusted: this.options.trusted ?? true,
      ...(this.options.rulesDir === undefined ? {} : { rulesDir: this.options.rulesDir }),
    });
    const { snapshot } = await this.request('events/subscribe', {});
    this.snapshot = snapshot;
    return result;
  }

  request<M extends Method>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    return this.raw({ jsonrpc: '2.0', id: ++this.ids, method, params }) as Promise<ResultOf<M>>;
  }

  /** Sends any frame; its reply, when it has an id. */
  raw(frame: { id?: number | string } & Record<string, unknown>): Promise<unknown> {
    const reply = new Promise<unknown>((resolve, reject) => {
      if (frame.id === undefined) return resolve(undefined);
      this.waiting.set(frame.id, ({ error, result }) => {
        if (error === undefined) resolve(result);
        else {
          const log = error.data?.['code'] === 'host_failed' ? `\n${this.logs.join('\n')}` : '';
          reject(new Refused(error.code, `${error.message}${log}`, error.data ?? {}));
        }
      });
    });
    this.thread.post(frame);
    return reply;
  }

  /** Hears the output of terminals that this client is attached to. */
  onShowing(listener: (showing: HandleShowing) => void): void {
    this.showings.add(listener);
  }

  post(value: unknown): void {
    this.thread.post(value);
  }

  /** The next reply that no request of ours asked for, such as the one to a malformed frame. */
  strayReply(): Promise<Frame> {
    return this.until(() => this.stray.shift());
  }

  /** The refusal of a request that must be refused. */
  async refused<M extends Method>(method: M, params: ParamsOf<M>): Promise<Refused> {
    try {
      await this.request(method, params);
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
    throw new Error(`${method} was not refused.`);
  }

  /** A place in the order of events; `next` looks behind it. */
  get mark(): number {
    return this.events.length;
  }

  /** The first event of a kind after `after`, now or later, that fits. */
  next<T extends EventType>(
    type: T,
    after = 0,
    fits: (event: EventOf<T>) => boolean = () => true,
  ): Promise<EventOf<T>> {
    return this.until(
      () =>
        this.events
          .slice(after)
          .find((event): event is EventOf<T> => event.type === type && fits(event as EventOf<T>)),
      `${type}\nseen: ${this.events
        .slice(after)
        .map((event) => event.type)
        .join(' ')}`,
    );
  }

  /** Resolves with the first value that `look` gives, looking after each frame. */
  until<T>(look: () => T | undefined, _what = ''): Promise<T> {
    return new Promise((resolve) => {
      const check = () => {
        const found = look();
        if (found === undefined) return;
        this.watchers.delete(check);
        resolve(found);
      };
      this.watchers.add(check);
      check();
    });
  }

  types(after = 0): string[] {
    return this.events.slice(after).map((event) => event.type);
  }

  /** Ends its thread as a crash would. */
  async kill(): Promise<void> {
    await this.thread.kill();
  }

  /** A host on the same store and workspace, after this one has ended. */
  async again(options: Partial<HostOptions> = {}): Promise<HostClient> {
    const own = this.cleanUp;
    this.cleanUp = undefined;
    const client = new HostClient(
      this.storeDir,
      this.workspace,
      { ...this.options, ...options, storeDir: this.storeDir, workspace: this.workspace },
      own,
    );
    await client.initialize();
    return client;
  }

  async stop(): Promise<void> {
    await Promise.race([this.request('shutdown', {}).catch(() => undefined), this.exited]);
    await this.thread.end();
    if (this.cleanUp === undefined) return;
    rmSync(this.cleanUp, { recursive: true, force: true });
    rmSync(runtimeOf(this.storeDir), { recursive: true, force: true });
  }

  private receive(frame: Frame): void {
    if (frame.method === 'event') {
      const event = frame.params as BelayEvent;
      this.events.push(event);
      if (this.snapshot !== undefined) this.snapshot = reduceSnapshot(this.snapshot, event);
      this.turns = reduceTranscript(this.turns, event);
    } else if (frame.method === 'handle/output') {
      for (const listener of this.showings) listener(frame.params as HandleShowing);
    } else if (frame.method === 'log') {
      const { level, text } = frame.params as { level: string; text: string };
      this.logs.push(`${level}: ${text}`);
    } else if (frame.method !== undefined && frame.id !== undefined) {
      void this.answer(frame);
    } else if (frame.id !== undefined && frame.id !== null && this.waiting.has(frame.id)) {
      this.waiting.get(frame.id)?.(frame);
      this.waiting.delete(frame.id);
    } else if (frame.method === undefined) this.stray.push(frame);
    for (const check of this.watchers) check();
  }

  private async answer(frame: Frame): Promise<void> {
    if (isForKey(frame)) {
      const value = this.options.windowKey ?? WINDOW_SECRET;
      this.thread.post({
        jsonrpc: '2.0',
        id: frame.id,
        result: value === 'none' ? {} : { value },
      });
      return;
    }
    const result = (await this.options.serve?.(frame.method ?? '', frame.params)) ?? {};
    this.thread.post({ jsonrpc: '2.0', id: frame.id, result });
  }
}

/** A folder for the sockets of the hosts on one store, so that hosts of other tests are other users' to them. */
function runtimeOf(storeDir: string): string {
  const folder = join(
    tmpdir(),
    `belay-run-${createHash('sha256').update(storeDir).digest('hex').slice(0, 12)}`,
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A store may be opened again by a later host of the process, which then meets in the same folder.
  if (runtimes.size === 0) atTheEnd(removeRuntimes);
  runtimes.add(folder);
  return folder;
}

const runtimes = new Set<string>();

function removeRuntimes(): Promise<void> {
  for (const folder of runtimes) rmSync(folder, { recursive: true, force: true });
  runtimes.clear();
  return Promise.resolve();
}

/** Settings with one compatible provider at a scripted server, as `local/m1`. */
export const localModel = (url: string, rest: Record<string, unknown> = {}) => ({
  ...rest,
  models: {
    default: 'local/m1',
    providers: {
      local: { kind: 'openai-compatible', baseUrl: url, models: [{ id: 'm1', contextWindow: 200_000 }] },
    },
  },
});
