/**
 * Owns the life of the host: its worker, the connection to it, and the starts after a crash.
 * It does not own what the host says (see state.ts) nor how a failure is shown (see notices/hostNotice.ts).
 *
 * 1. At most one worker lives at a time, and nothing but `initialize` is sent to one that has not answered it.
 * 2. A request made while the host is starting waits for it; one made to a host that has failed is refused at once.
 * 3. When a worker goes, every request that it has not answered is rejected.
 */
import {
  createMessageConnection,
  Emitter,
  type CancellationToken,
  type Event,
  type MessageConnection,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import type {
  BelayEvent,
  ClientParamsOf,
  ClientResultOf,
  HandleShowing,
  HandleShown,
  Method,
  ModelPart,
  ParamsOf,
  ResultOf,
  PROTOCOL_VERSION,
} from '../protocol';
import type { Clock } from './clock';
import { HostError, messageOf, toHostError } from './hostError';
import { RestartBudget } from './restartBudget';
import { Watchdog } from './watchdog';

/** A type alone is imported, so that the schemas are not loaded into the extension host. */
export const protocolVersion: typeof PROTOCOL_VERSION = 1;

/** How long a host may take to close its store, ms. VS Code gives an extension about 5 s to deactivate. */
export const SHUTDOWN_GRACE_MS = 3_000;
/** After this it is ended by force, ms. */
const SHUTDOWN_MOST_MS = 3_500;

export type HostStatus =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly readOnly: boolean; readonly warnings: readonly string[] }
  /** It crashed and is started again by itself after a pause. */
  | { readonly kind: 'restarting'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string; readonly code: string };

/** A running worker, whatever it is made of. */
export interface HostPort {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Resolves, with the reason, when it is gone. */
  readonly gone: Promise<string>;
  terminate(): Promise<void>;
}

/** What the host may ask of the extension. */
export interface HostRequests {
  readonly secret: (params: ClientParamsOf<'secret/get'>) => Promise<ClientResultOf<'secret/get'>>;
  readonly keepSecret: (params: ClientParamsOf<'secret/set'>) => Promise<ClientResultOf<'secret/set'>>;
  readonly model: (
    params: ClientParamsOf<'model/request'>,
    tell: (part: ModelPart) => void,
    token: CancellationToken,
  ) => Promise<ClientResultOf<'model/request'>>;
  readonly clientTool: (
    params: ClientParamsOf<'clientTool/run'>,
    token: CancellationToken,
  ) => Promise<ClientResultOf<'clientTool/run'>>;
}

export interface HostClientOptions {
  start(): Promise<HostPort>;
  /** Read again for each start, because settings and folders change. */
  initialize(): Promise<Omit<ParamsOf<'initialize'>, 'protocolVersion'>>;
  readonly requests: HostRequests;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void;
  readonly clock: Clock;
}

interface Running {
  readonly port: HostPort;
  readonly connection: MessageConnection;
}

export class HostClient {
  private readonly statusChanged = new Emitter<HostStatus>();
  private readonly eventCame = new Emitter<BelayEvent>();
  private readonly showingCame = new Emitter<HandleShowing>();
  private readonly modelsTaken = new Emitter<void>();
  private readonly budget = new RestartBudget();
  private current: HostStatus = { kind: 'stopped' };
  private running: Running | undefined;
  private starting: Promise<Running> | undefined;
  /** Ends what a start waits for: the worker that has not answered yet, or the pause before the next one. */
  private interruptStart: () => void = () => undefined;
  private ending = false;
  private restarting: Promise<void> | undefined;
  private closed = false;

  readonly onStatus: Event<HostStatus> = this.statusChanged.event;
  readonly onEvent: Event<BelayEvent> = this.eventCame.event;
  /** Output of terminals that this window is attached to. */
  readonly onShowing: Event<HandleShowing> = this.showingCame.event;
  /** The host has taken settings, keys or the editor's models: `model/list` may say something else from now on. */
  readonly onModelsTaken: Event<void> = this.modelsTaken.event;

  /** Says when this host gives no sign of life. */
  readonly watchdog: Watchdog;

  constructor(private readonly options: HostClientOptions) {
    this.watchdog = new Watchdog(options.clock);
  }

  get status(): HostStatus {
    return this.current;
  }

  /** Starts the host if it is not running. Resolves when it can be asked. */
  async start(): Promise<void> {
    await this.connect();
  }

  async request<M extends Method>(
    method: M,
    params: ParamsOf<M>,
    token?: CancellationToken,
  ): Promise<ResultOf<M>> {
    const result = await this.send<ResultOf<M>>(method, params, token);
    if (method === 'settings/update' || method === 'model/offer') this.modelsTaken.fire();
    return result;
  }

  /** Confirms output of a terminal; a host that has gone sends none any more. */
  shown(shown: HandleShown): void {
    this.running?.connection.sendNotification('handle/shown', shown).catch(() => undefined);
  }

  /** Passes on a request that somebody else has made; the host checks it. */
  relay(method: string, params: unknown): Promise<unknown> {
    return this.send<unknown>(method, params);
  }

  /** The person wants a fresh host, after a failure or at any time. */
  restart(): Promise<void> {
    this.restarting ??= this.stopAndStart().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  /** Ends a host that does not answer, and all that it has started with it (X6); another one is started. */
  end(): Promise<void> {
    this.restarting ??= this.endAndStart().finally(() => {
      this.restarting = undefined;
    });
    return this.restarting;
  }

  /** Ends the host for good. */
  async close(): Promise<void> {
    this.closed = true;
    await this.stop();
  }

  /** Ends the host: everything running is ended truthfully, everything that waits stays stored. */
  async stop(): Promise<void> {
    this.ending = true;
    this.interruptStart();
    await this.starting?.catch(() => undefined);
    const running = this.running;
    this.running = undefined;
    if (running === undefined) {
      this.stopped();
      return;
    }
    const asked = running.connection
      .sendRequest('shutdown', { graceMs: SHUTDOWN_GRACE_MS })
      .catch((error: unknown) => this.options.log('warn', `The host did not shut down: ${messageOf(error)}`));
    let callOff = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      callOff = this.options.clock.after(SHUTDOWN_MOST_MS, resolve);
    });
    await Promise.race([asked, late, running.port.gone]);
    callOff();
    running.connection.dispose();
    await running.port.terminate();
    this.stopped();
  }

  /** A restart is told as a start: lists stay as they are until the host that comes has given its own. */
  private stopped(): void {
    if (this.restarting === undefined) this.become({ kind: 'stopped' });
  }

  private async stopAndStart(): Promise<void> {
    await this.stop();
    this.ending = this.closed;
    this.budget.refill();
    await this.begin(0);
  }

  private async endAndStart(): Promise<void> {
    this.ending = true;
    this.interruptStart();
    const running = this.running;
    this.running = undefined;
    await this.starting?.catch(() => undefined);
    running?.connection.dispose();
    await running?.port.terminate();
    this.ending = this.closed;
    this.budget.refill();
    await this.begin(0);
  }

  private async send<R>(method: string, params: unknown, token?: CancellationToken): Promise<R> {
    try {
      const { connection } = await this.connect();
      const asked =
        token === undefined
          ? connection.sendRequest<R>(method, params)
          : connection.sendRequest<R>(method, params, token);
      const watched = this.watchdog.watch(method, () => connection.sendRequest('host/ping', {}));
      asked.then(
        (result) => watched.replied(result),
        () => watched.over(),
      );
      return await asked;
    } catch (error) {
      throw toHostError(error);
    }
  }

  private async connect(): Promise<Running> {
    // A click in the middle of a restart is for the host that comes.
    await this.restarting;
    if (this.running !== undefined) return this.running;
    this.refuseWhenEnding();
    if (this.current.kind === 'failed') throw new HostError('host_failed', this.current.why);
    return this.begin(0);
  }

  /** The one start that is going on, or a new one after a pause. */
  private begin(pauseMs: number): Promise<Running> {
    if (this.starting !== undefined) return this.starting;
    // Known before it begins: a listener that asks for a start while this one begins must find it.
    let begun: (running: Promise<Running>) => void = () => undefined;
    const starting = new Promise<Running>((resolve) => {
      begun = resolve;
    });
    this.starting = starting;
    begun(this.launch(pauseMs));
    const over = (): void => {
      if (this.starting === starting) this.starting = undefined;
    };
    starting.then(over, over);
    return starting;
  }

  /** Starts a worker, and another after a crash, until one answers or the budget is spent. */
  private async launch(firstPauseMs: number): Promise<Running> {
    for (let wait = firstPauseMs; ;) {
      if (wait > 0) await this.pause(wait);
      this.refuseWhenEnding();
      this.become({ kind: 'starting' });
      const attempt = await this.attempt();
      if ('connection' in attempt) return attempt;
      this.refuseWhenEnding();
      const next = attempt.refused ? undefined : this.budget.spend(this.options.clock.now());
      if (next === undefined) {
        this.become({ kind: 'failed', why: attempt.why, code: attempt.code });
        throw new HostError('host_failed', attempt.why);
      }
      this.become({ kind: 'restarting', why: attempt.why });
      wait = next;
    }
  }

  private refuseWhenEnding(): void {
    if (this.ending) throw new HostError('host_stopping', 'The host is stopping.');
  }

  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.options.clock.after(ms, resolve);
      this.interruptStart = () => {
        callOff();
        resolve();
      };
    });
  }

  /** `refused` tells a host that has said why it will not run from one that broke: trying again helps only there. */
  private async attempt(): Promise<
    Running | { readonly why: string; readonly code: string; readonly refused: boolean }
  > {
    let port: HostPort | undefined;
    const { clock, log } = this.options;
    const began = clock.now();
    try {
      port = await this.options.start();
      const started = port;
      this.interruptStart = () => void started.terminate();
      const connection = this.serve(port);
      const initialized = connection.sendRequest<ResultOf<'initialize'>>('initialize', {
        protocolVersion,
        ...(await this.options.initialize()),
      });
      const first = await Promise.race([initialized, port.gone]);
      if (typeof first === 'string') return { why: this.told(first), code: 'host_failed', refused: false };
      const running = { port, connection };
      this.running = running;
      this.starting = undefined;
      this.interruptStart = () => undefined;
      void port.gone.then((why) => this.crashed(running, why));
      log('info', `The host was ready after ${String(clock.now() - began)} ms.`);
      this.become({ kind: 'ready', readOnly: first.readOnly, warnings: first.warnings });
      return running;
    } catch (error) {
      const failure = toHostError(error);
      await port?.terminate();
      return { why: this.told(failure.message), code: failure.code, refused: failure.code !== 'host_failed' };
    }
  }

  private serve(port: HostPort): MessageConnection {
    const { requests, log } = this.options;
    const connection = createMessageConnection(port.reader, port.writer);
    connection.onNotification('event', (event: BelayEvent) => {
      this.eventCame.fire(event);
    });
    connection.onNotification('handle/output', (showing: HandleShowing) => {
      this.showingCame.fire(showing);
    });
    connection.onNotification('log', (line: { level: 'debug' | 'info' | 'warn' | 'error'; text: string }) =>
      log(line.level, line.text),
    );
    connection.onRequest('secret/get', (params: ClientParamsOf<'secret/get'>) => requests.secret(params));
    connection.onRequest('secret/set', (params: ClientParamsOf<'secret/set'>) => requests.keepSecret(params));
    connection.onRequest(
      'model/request',
      (params: ClientParamsOf<'model/request'>, token: CancellationToken) =>
        requests.model(params, (part) => this.tellPart(connection, part), token),
    );
    connection.onRequest(
      'clientTool/run',
      (params: ClientParamsOf<'clientTool/run'>, token: CancellationToken) =>
        requests.clientTool(params, token),
    );
    connection.onError(([error]) => log('error', `The connection to the host broke: ${error.message}`));
    connection.listen();
    void port.gone.then(() => connection.dispose());
    return connection;
  }

  /** A part that comes after the host has gone has nobody to go to. */
  private tellPart(connection: MessageConnection, part: ModelPart): void {
    connection.sendNotification('model/part', part).catch((error: unknown) => {
      this.options.log('debug', `A part of a model's answer was lost: ${messageOf(error)}`);
    });
  }

  private crashed(running: Running, why: string): void {
    if (this.running !== running) return;
    this.running = undefined;
    if (this.ending) return;
    const told = this.told(why);
    const pause = this.budget.spend(this.options.clock.now());
    if (pause === undefined) return this.become({ kind: 'failed', why: told, code: 'host_failed' });
    this.begin(pause).catch(() => undefined);
    this.become({ kind: 'restarting', why: told });
  }

  /** The log gets everything; a person is told the first line. */
  private told(why: string): string {
    this.options.log('error', why);
    return (why.split('\n')[0] ?? '').trim();
  }

  private become(status: HostStatus): void {
    this.current = status;
    this.statusChanged.fire(status);
  }
}
