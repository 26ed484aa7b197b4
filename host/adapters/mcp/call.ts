/**
 * One call of a server's tool, from its wait for a place to its answer.
 *
 * Owns its places and its time. 1. It is sent inside `launch`, in the tick in which the cord is checked (P2);
 * stopped before that, nothing has happened. 2. Told to stop, it tells the server, once, and drops what comes
 * later (S6). 3. `done` settles once.
 */
import { MCP_CALL_MOST_MS, MCP_CALL_MS, SHOWN_BYTES } from '../../../protocol';
import { Capture } from '../../base/capture';
import { CordPulled, type Launch } from '../../base/launch';
import type { Place, Places } from '../../base/places';
import { redact, redactDeep } from '../../base/redact';
import type { CallResult, Run, StopReason, StopReport } from '../../engine/ports';
import type { ClientHooks, McpCall } from './client';
import { ConnectionLost, Rejected, ServerError, SignInFailed, SignInNeeded, Unavailable } from './errors';
import { Limit } from './limit';
import { resultOf } from './results';
import type { ServersNeed } from './room';
import type { McpServer } from './server';
import { brief, sentence } from './words';

export interface CallRequest {
  readonly server: McpServer;
  /** As the server calls it. */
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly launch: Launch;
  readonly need: ServersNeed;
  /** Places over all servers. */
  readonly places: Places;
  onProgress(text: string): void;
  /** Puts a server's question to the person. */
  readonly ask: ClientHooks['elicit'];
}

export class McpRun implements Run {
  readonly done: Promise<CallResult>;
  private readonly stopping = new AbortController();
  private readonly told = new Capture(SHOWN_BYTES);
  private reason: StopReason | 'timed_out' | undefined;
  private sent: McpCall | undefined;
  private limit: Limit | undefined;
  private detached = false;

  constructor(private readonly request: CallRequest) {
    this.done = this.work().catch((error: unknown) => this.failed(error));
  }

  async stop(reason: StopReason): Promise<StopReport> {
    this.end(reason);
    await this.done;
    return { stopped: true, survivors: [] };
  }

  detach(): void {
    this.detached = true;
    this.limit?.end();
  }

  read(offset: number, limit: number): ReturnType<Run['read']> {
    return this.told.read(offset, limit);
  }

  private async work(): Promise<CallResult> {
    const { server, places, launch } = this.request;
    const { signal } = this.stopping;
    const held: Place[] = [];
    try {
      held.push(await placeIn(server.places, signal));
      held.push(await placeIn(places, signal));
      const connection = await server.connection(launch, signal);
      signal.throwIfAborted();
      const answer = await this.send(connection).catch((error: unknown) => {
        if (isEnd(error)) server.lost(connection, error);
        throw error;
      });
      return resultOf(answer, this.request.need.secrets());
    } finally {
      this.limit?.end();
      for (const place of held) place.free();
    }
  }

  private async send(connection: Awaited<ReturnType<McpServer['connection']>>): Promise<unknown> {
    const { tool, args, launch, need, server } = this.request;
    const asking = { ask: this.ask };
    server.asking.push(asking);
    try {
      const sent = connection.call(tool, args, launch, (progress) => this.progress(progress));
      this.sent = sent;
      const limits = need.settings().limits ?? {};
      if (!this.detached)
        this.limit = new Limit(
          need.clock,
          { silence: limits.mcpCallMs ?? MCP_CALL_MS, whole: limits.mcpCallMostMs ?? MCP_CALL_MOST_MS },
          () => this.end('timed_out'),
        );
      return await sent.answer;
    } finally {
      server.asking.splice(server.asking.indexOf(asking), 1);
    }
  }

  /** While a person decides, the call's time stands still. */
  private readonly ask: ClientHooks['elicit'] = async (message, schema, signal) => {
    this.limit?.hold();
    try {
      const either = AbortSignal.any([signal, this.stopping.signal]);
      return await this.request.ask(message, schema, either);
    } finally {
      this.limit?.go();
    }
  };

  private progress(told: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }): void {
    this.limit?.touch();
    if (this.reason !== undefined) return;
    const of = told.total === undefined ? '' : `/${told.total}`;
    const said = told.message === undefined ? '' : ` ${brief(told.message)}`;
    const text = redact(`${told.progress}${of}${said}\n`, this.request.need.secrets());
    this.told.add(Buffer.from(text));
    this.request.onProgress(text);
  }

  private end(reason: StopReason | 'timed_out'): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.stopping.abort(new Error(reason));
    this.sent?.cancel(WORDS[reason]);
  }

  private failed(error: unknown): CallResult {
    const hasLeft = this.sent?.left() ?? false;
    const soFar = this.told.total === 0 ? {} : { progress: this.told.shown(SHOWN_BYTES).text };
    const ran = hasLeft ? {} : { ran: false as const };
    const result = (code: string, detail: string): CallResult => ({
      output: redactDeep({ ...soFar, error: code, detail }, this.request.need.secrets()),
      failed: true,
      ...ran,
    });
    if (this.reason !== undefined) {
      const { code, end } = ENDS[this.reason];
      const detail = hasLeft
        ? `${WORDS[this.reason]} The server was told to stop; whether it has done what was asked is unknown.`
        : `${WORDS[this.reason]} It has not run.`;
      return { ...result(code, detail), end: { end } };
    }
    if (error instanceof CordPulled)
      return result('host_paused', 'The person paused everything before it started: it has not run.');
    if (error instanceof ServerError) return result('tool_failed', error.message);
    if (error instanceof Unavailable) return result('server_unavailable', error.message);
    if (error instanceof ConnectionLost)
      return result(
        'server_unavailable',
        `The server was lost${hasLeft ? ' while it worked on this call, so what it had done is unknown' : ''}: ${this.request.server.trouble ?? error.message}`,
      );
    if (isEnd(error)) return result('server_unavailable', `The server took no call: ${sentence(error)}`);
    return result('tool_failed', sentence(error));
  }
}

const WORDS = {
  cancelled: 'The turn was interrupted.',
  host_paused: 'The person paused everything.',
  host_stopped: 'Belay was shutting down.',
  stopped: 'This call was stopped.',
  superseded: 'This call was replaced by another one.',
  timed_out: 'It took too long.',
} as const satisfies Record<StopReason | 'timed_out', string>;

const ENDS = {
  cancelled: { code: 'cancelled', end: 'stopped' },
  host_paused: { code: 'host_paused', end: 'host_paused' },
  host_stopped: { code: 'stopped', end: 'stopped' },
  stopped: { code: 'stopped', end: 'stopped' },
  superseded: { code: 'cancelled', end: 'stopped' },
  timed_out: { code: 'timed_out', end: 'timed_out' },
} as const satisfies Record<StopReason | 'timed_out', unknown>;

/** Its connection is of no use any more. */
const isEnd = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof SignInNeeded ||
  error instanceof SignInFailed ||
  error instanceof Rejected;

/** A place, at once or in line; the line is left when the signal aborts (P3). */
function placeIn(places: Places, signal: AbortSignal): Promise<Place> {
  const place = places.tryTake();
  if (place !== undefined) return Promise.resolve(place);
  return new Promise((resolve, reject) => {
    const wait = places.wait((given) => {
      signal.removeEventListener('abort', leave);
      resolve(given);
    });
    const leave = (): void => {
      wait.leave();
      reject(new Error('stopped'));
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}
