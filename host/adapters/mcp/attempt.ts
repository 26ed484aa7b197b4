/**
 * One start of a server and what comes of it: the process, or nothing for HTTP, and the connection.
 *
 * Owns both, until `end` has seen them gone. 1. Its process is spawned inside `launch`, in the tick in which it is
 * made; each message until it is ready leaves under the same launch (P3). 2. It tells of one end, or of none once
 * it was told to end.
 */
import { SERVER_MESSAGE_BYTES, SERVER_START_MS, say } from '../../../protocol';
import type { Timer } from '../../base/clock';
import type { Launch } from '../../base/launch';
import type { ClientHooks, Connection, LineWire } from './client';
import type { ServerConfig } from './config';
import type { Gate } from './gate';
import { InputMissing } from './errors';
import { NO_VALUES, valuesOf, type Values } from './inputs';
import { Lines } from './lines';
import type { ServerProcess, ServersNeed } from './room';
import type { HttpAuth, HttpWire } from './sender';
import { resolved, Unusable, type Resolved } from './variables';
import { brief } from './words';

/** Pages of a list of tools that are asked for. */
export const TOOL_PAGES = 64;

/** How long a session over HTTP waits for the server's answer to its end, ms: a host that shuts down waits for it. */
const GOODBYE_MS = 1_000;
/** What a server may leave unread before it is given up, bytes. */
const UNREAD_BYTES = 1024 * 1024;

export interface AttemptOptions {
  readonly config: ServerConfig;
  readonly need: ServersNeed;
  readonly gate: Gate;
  readonly launch: Launch;
  readonly hooks: ClientHooks;
  /** What it asks a person for was looked up. */
  inputs(found: Values): void;
  /** Who it is told that asks, for one over HTTP. */
  account(target: Extract<Resolved, { kind: 'http' }>): Promise<HttpAuth>;
  /** It is there, and these are its tools as they came. */
  ready(connection: Connection, tools: readonly unknown[]): void;
  /** It could not start, or has ended by itself. Called once at most. */
  broke(error: unknown): void;
}

export class Attempt {
  connection: Connection | undefined;
  readyAt = 0;
  private over = false;
  private readonly ending = new AbortController();
  private process: ServerProcess | undefined;
  private lines: Lines | undefined;
  private limit: Timer | undefined;

  constructor(private readonly options: AttemptOptions) {}

  get pid(): number | undefined {
    return this.process?.child.pid;
  }

  open(): void {
    const { need } = this.options;
    const ms = need.settings().limits?.serverStartMs ?? SERVER_START_MS;
    this.limit = need.clock.after(ms, () =>
      this.fail(new Error(say('It did not come up within {ms} ms.', { ms }))),
    );
    this.start().catch((error: unknown) => this.fail(error));
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.limit?.clear();
    this.options.broke(error);
  }

  /** Ends all of it; the pids that survive. A session over HTTP is ended on the server as well, when `politely`. */
  async end(politely: boolean): Promise<readonly number[]> {
    this.over = true;
    this.ending.abort(new Error(say('It was ended.')));
    this.limit?.clear();
    this.lines?.end();
    if (politely && this.connection !== undefined) await this.farewell(this.connection);
    await this.connection?.close();
    return (await this.process?.end())?.survivors ?? [];
  }

  /** The session's end on the server, for as long as it is worth waiting for: it ends without an answer as well. */
  private async farewell(connection: Connection): Promise<void> {
    let limit: Timer | undefined;
    const waited = new Promise<void>((resolve) => {
      limit = this.options.need.clock.after(GOODBYE_MS, resolve);
    });
    await Promise.race([connection.goodbye(), waited]);
    limit?.clear();
  }

  /** What asks for nothing starts in this tick. */
  private async start(): Promise<void> {
    const { config, need } = this.options;
    const given = config.inputs.length === 0 ? NO_VALUES : await valuesOf(config.inputs, need.secret);
    if (this.isOver()) return;
    this.options.inputs(given);
    if (given.missing.length > 0) throw new InputMissing(missingWords(given));
    const target = resolved(config, {
      folders: need.folders(),
      env: need.env,
      secrets: need.secrets(),
      inputs: given.values,
    });
    const wire = target.kind === 'http' ? await this.far(target) : this.near(target);
    if (!this.isOver()) await this.connect(wire);
  }

  /** A configuration that says itself who asks is taken at its word. */
  private async far(target: Extract<Resolved, { kind: 'http' }>): Promise<HttpWire> {
    const { url, headers } = target;
    const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
    const auth = isNamed ? undefined : await this.options.account(target);
    return { url, headers, web: this.options.need.web, auth };
  }

  /** Starts the process of a server that has one, in this tick. */
  private near(target: Extract<Resolved, { kind: 'stdio' }>): LineWire {
    const { need, launch, hooks } = this.options;
    const { command, args, env, cwd } = target;
    const server = need.start({ file: command, args, folder: cwd, env }, launch);
    this.process = server;
    server.child.stderr.setEncoding('utf8');
    server.child.stderr.on('data', (text: string) => hooks.note(text));
    server.child.stderr.on('error', () => undefined);
    void server.exited.then((exit) => this.fail(endOf(exit, command)));
    return {
      write: (line, launch) => {
        if (server.child.stdin.writableLength <= UNREAD_BYTES)
          return void launch(() => server.child.stdin.write(line));
        this.fail(new Error(say('It has left more than {most} bytes unread.', { most: UNREAD_BYTES })));
      },
      listen: (take) => {
        this.lines = new Lines(server.child.stdout, {
          clock: need.clock,
          most: SERVER_MESSAGE_BYTES,
          take,
          tooLong: () =>
            this.fail(
              new Error(say('It sent a message of more than {most} bytes.', { most: SERVER_MESSAGE_BYTES })),
            ),
        });
      },
    };
  }

  private async connect(wire: LineWire | HttpWire): Promise<void> {
    const { gate, hooks, need } = this.options;
    const { signal } = this.ending;
    const launch: Launch = (effect) => {
      signal.throwIfAborted();
      return this.options.launch(effect);
    };
    const { connect } = await import('./client');
    if (this.over) return;
    const client = { name: 'Belay', version: need.hostVersion };
    const connection = await connect(wire, { gate, launch, client, hooks, signal });
    if (this.isOver()) return connection.close();
    this.connection = connection;
    const tools = connection.offersTools ? await connection.listTools(launch, TOOL_PAGES) : [];
    if (this.isOver()) return;
    this.limit?.clear();
    this.readyAt = need.clock.now();
    this.options.ready(connection, tools);
  }

  private isOver(): boolean {
    return this.over;
  }
}

const missingWords = ({ missing }: Values): string =>
  say('It needs from you: {values}.', {
    values: missing.map(({ description }) => brief(description)).join(', '),
  });

function endOf(
  exit: { readonly code?: number; readonly signal?: string; readonly error?: Error },
  command: string,
): Error {
  if (exit.error !== undefined)
    return new Unusable(
      say('It could not be started: {command}: {reason}.', { command, reason: exit.error.message }),
    );
  return new Error(
    exit.signal === undefined
      ? say('It ended by itself with code {code}.', { code: exit.code ?? 0 })
      : say('It was ended by {signal}.', { signal: exit.signal }),
  );
}
