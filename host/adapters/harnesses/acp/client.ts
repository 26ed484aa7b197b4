/**
 * A session with an agent of the Agent Client Protocol, over the official SDK: one process, warm between prompts.
 *
 * Owns that process and the SDK's connection to it. 1. A run ends once, by the prompt's reply or with the process.
 * 2. Updates are read in the order of their lines, before the reply behind them. 3. An interrupt answers every open
 * permission with `cancelled`, as the protocol demands.
 */
import {
  client,
  methods,
  PROTOCOL_VERSION,
  type AnyMessage,
  type ClientConnection,
} from '@agentclientprotocol/sdk';
import { z } from 'zod';
import { CordPulled, type Launch } from '../../../base/launch';
import type {
  HarnessCapabilities,
  HarnessOpen,
  HarnessOutcome,
  HarnessPrompt,
  HarnessSession,
  HarnessVerdict,
} from '../../../engine/harnessPort';
import { missing, type Adapter } from '../adapter';
import { failureOf, tellEnd } from '../ends';
import type { AgentEnd, Surroundings } from '../outside';
import { withoutPictures } from '../pictures';
import { Seat } from '../seat';
import { canAllowOnce, ONLY_FOR_ALWAYS, Option, outcomeOf, type Outcome } from './mapApprovals';
import { acpState, askedCall, flush, mapUpdate, nextPrompt, ToolCall, type AcpMapped } from './mapEvents';
import { acpId, acpProgram, acpRequest, isAcp } from './process';
import { openSession } from '../acpOpen';
import { agentSays, failedBy, type AgentSays } from './resume';
import type { SignInQuestion } from '../acpSignIn';
import { ToolServers } from '../acpToolServers';
import { say } from '../../../../protocol';

/** After how long an agent whose own limit is not known may give a tool up, ms: the default of the MCP SDKs. */
const MCP_CALL_MS = 60_000;

const CAPABILITIES: HarnessCapabilities = {
  approvals: 'asks',
  steers: false,
  waits: 'hold',
  holdLimitMs: MCP_CALL_MS,
  reach: { place: 'local', ways: ['mcpHttp', 'mcpStdio'] },
  newTools: 'next_process',
  ladder: [
    { kind: 'protocol', name: 'session/cancel' },
    { kind: 'end_of_input' },
    { kind: 'signal', signal: 'SIGTERM' },
    { kind: 'signal', signal: 'SIGKILL' },
  ],
};

export const acp: Adapter = {
  list: (around) =>
    Object.entries(around.settings().acp ?? {}).map(([name, { command }]) => {
      const path = acpProgram(acpId(name), around);
      return {
        id: acpId(name),
        name,
        found: path !== undefined,
        note: say(
          'An agent of your settings. What it asks for is asked here; what it does unasked is its own affair.',
        ),
        ...(path === undefined ? { install: say('{command} was not found', { command }) } : { path }),
      };
    }),
  drives: isAcp,
  capabilities: CAPABILITIES,
  open: (options, around) => new AcpSession(options, around),
};

const Asked = z.looseObject({ toolCall: ToolCall, options: z.array(Option) });
const Reply = z.looseObject({
  stopReason: z.string(),
  usage: z
    .looseObject({
      inputTokens: z.number().optional(),
      outputTokens: z.number().optional(),
      cachedReadTokens: z.number().nullish(),
    })
    .nullish(),
});
const UpdateTold = z.looseObject({
  method: z.literal('session/update'),
  params: z.looseObject({ sessionId: z.string(), update: z.unknown() }),
});

/** The reply to a permission that nobody answers any more. */
const CANCELLED = { outcome: { outcome: 'cancelled' } } as const;

interface Waiting {
  readonly call: string;
  readonly options: readonly z.infer<typeof Option>[];
  readonly settle: (outcome: Outcome) => void;
}

class AcpSession implements HarnessSession {
  private readonly seat: Seat;
  private state = acpState;
  private connection: ClientConnection | undefined;
  private incoming: ReadableStreamDefaultController<AnyMessage> | undefined;
  private session: string | undefined;
  private says: AgentSays | undefined;
  private run = false;
  private heard = false;
  private launch: Launch | undefined;
  private readonly waiting = new Map<string, Waiting>();
  /** Questions of the agent's that are Belay's to put. */
  private readonly asking = new Map<string, (verdict: HarnessVerdict) => void>();
  private requests = 0;
  private stopping: ReturnType<Seat['climb']> | undefined;
  private disposing = false;
  private quiet: (() => void) | undefined;
  private readonly servers: ToolServers;

  constructor(
    private readonly options: HarnessOpen,
    private readonly around: Surroundings,
  ) {
    this.servers = new ToolServers(around);
    this.seat = new Seat(around, {
      onMessage: (message) => this.take(message),
      onNote: (text) => void options.sink({ kind: 'notice', text }),
      onEnd: (end, errorText) => void this.end(end, errorText),
    });
  }

  isAlive(): boolean {
    return this.seat.isAlive();
  }

  isBusy(): boolean {
    return false;
  }

  prompt(prompt: HarnessPrompt, launch: Launch): void {
    this.launch = launch;
    this.run = true;
    this.heard = false;
    this.state = nextPrompt(this.state);
    if (!this.seat.isAlive() && !this.start(launch)) return;
    this.converse(prompt, launch).catch((error: unknown) => {
      if (error instanceof CordPulled) this.finish({ kind: 'stopped', by: undefined });
      else if (this.seat.isAlive()) this.finish(failedBy(error));
    });
  }

  steer(): boolean {
    return false;
  }

  answer(request: string, verdict: HarnessVerdict, launch: Launch): boolean {
    const settle = this.asking.get(request);
    if (settle !== undefined) {
      this.asking.delete(request);
      this.launch = launch;
      launch(() => settle(verdict));
      return true;
    }
    const waiting = this.waiting.get(request);
    if (waiting === undefined) return false;
    this.waiting.delete(request);
    // The SDK writes the answer later in this tick's wake: the launch is checked there again.
    this.launch = launch;
    launch(() => waiting.settle(outcomeOf(waiting.options, verdict)));
    if (verdict.allow && !canAllowOnce(waiting.options))
      void this.options.sink({ kind: 'result', id: waiting.call, result: ONLY_FOR_ALWAYS });
    return true;
  }

  stopWork(): boolean {
    return false;
  }

  interrupt(): ReturnType<Seat['climb']> {
    return this.climb(new Promise((done) => (this.quiet = done)));
  }

  async dispose(): ReturnType<Seat['climb']> {
    this.disposing = true;
    const by = await this.climb(this.seat.exited);
    await this.seat.closed;
    return by;
  }

  private climb(over: Promise<void>): ReturnType<Seat['climb']> {
    const steps = CAPABILITIES.ladder.filter((step) => this.run || step.kind !== 'protocol');
    const by = this.seat.climb(steps, () => this.cancel(), Promise.race([over, this.seat.exited]));
    this.stopping = by;
    void by.then(() => {
      if (this.seat.isAlive()) this.stopping = undefined;
    });
    return by;
  }

  private cancel(): void {
    const { session } = this;
    if (session === undefined) {
      this.seat.goOn();
      return;
    }
    this.seat.askToEnd({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } });
    for (const waiting of this.waiting.values()) waiting.settle(CANCELLED.outcome);
    this.waiting.clear();
  }

  private start(launch: Launch): boolean {
    const request = acpRequest(this.options.harness, this.options.folder, this.around);
    this.state = acpState;
    this.session = undefined;
    this.stopping = undefined;
    if (request === undefined) {
      const detail = missing(this.options.harness, say('belay.harnesses names its command'));
      this.finish({ kind: 'failed', code: 'agent_missing', detail });
      return false;
    }
    this.seat.start(request, launch);
    this.connection = client({ name: 'belay' })
      .onRequest(methods.client.session.requestPermission, async ({ params }) => ({
        outcome: await this.permission(params),
      }))
      .connect({
        readable: new ReadableStream<AnyMessage>({ start: (controller) => (this.incoming = controller) }),
        writable: new WritableStream<AnyMessage>({ write: (message) => this.write(message) }),
      });
    return true;
  }

  /**
   * Everything that the SDK sends leaves inside the launch of the prompt or verdict that it belongs to (P2). Once
   * the run is being ended, what is still owed to the agent is that its requests are cancelled: an allow that the
   * SDK had not written yet is none any more.
   */
  private write(message: object): void {
    if (this.stopping !== undefined && 'result' in message)
      this.seat.askToEnd({ ...message, result: CANCELLED });
    else if (this.launch === undefined || !this.seat.send(message, this.launch))
      throw new Error(say('Its process has gone.'));
  }

  private async converse(prompt: HarnessPrompt, launch: Launch): Promise<void> {
    const { agent, options, around } = this;
    if (this.session === undefined) {
      const initialized = await agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: 'belay', version: '1' },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      });
      this.says = agentSays(initialized);
      const servers = await this.servers.open(prompt, launch, this.says);
      this.session = await openSession({ agent, options, around, servers, says: this.says }, (question) =>
        this.ask(question),
      );
      void this.options.sink({ kind: 'conversation', id: this.session });
    }
    const images = this.says?.images === true ? prompt.images : [];
    const reply = Reply.parse(
      await agent.request(methods.agent.session.prompt, {
        sessionId: this.session,
        prompt: [
          ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
          {
            type: 'text' as const,
            text: withoutPictures(prompt.text, prompt.images.length - images.length),
          },
        ],
      }),
    );
    this.hear();
    void this.tell(flush(this.state));
    this.replied(reply);
  }

  private get agent(): ClientConnection['agent'] {
    if (this.connection === undefined) throw new Error(say('Its process has gone.'));
    return this.connection.agent;
  }

  private ask({ call, asked }: SignInQuestion): Promise<HarnessVerdict> {
    const request = String(++this.requests);
    return new Promise((settle) => {
      this.asking.set(request, settle);
      void this.options.sink({ kind: 'question', request, call, asked });
    });
  }

  private take(message: unknown): Promise<void> | undefined {
    const update = UpdateTold.safeParse(message).data;
    if (update === undefined) {
      if (isFrame(message)) this.incoming?.enqueue(message);
      return undefined;
    }
    // While a session is being loaded, its past is told again: it has no name here until that is over.
    if (update.params.sessionId !== this.session || !this.run) return undefined;
    const mapped = mapUpdate(this.state, update.params.update);
    if (mapped.events.length > 0) this.hear();
    return this.tell(mapped);
  }

  private tell({ state, events }: AcpMapped): Promise<void> | undefined {
    this.state = state;
    let room: Promise<void> | undefined;
    for (const event of events) room = this.options.sink(event);
    return room;
  }

  /** Its turn is under way: from now on the session can be resumed (H6). */
  private hear(): void {
    if (this.heard) return;
    this.heard = true;
    void this.options.sink({ kind: 'turn' });
  }

  private permission(params: unknown): Promise<Outcome> {
    const asked = Asked.safeParse(params).data;
    if (asked === undefined) return Promise.resolve({ outcome: 'cancelled' });
    const request = String(++this.requests);
    this.hear();
    return new Promise((settle) => {
      const call = askedCall(this.state, asked.toolCall);
      this.waiting.set(request, { call: call.id, options: asked.options, settle });
      void this.tell(flush(this.state));
      void this.options.sink({ kind: 'permission', request, call });
    });
  }

  private replied({ stopReason, usage }: z.infer<typeof Reply>): void {
    if (usage !== undefined && usage !== null)
      void this.options.sink({
        kind: 'usage',
        usage: {
          inputTokens: usage.inputTokens ?? 0,
          outputTokens: usage.outputTokens ?? 0,
          cachedTokens: usage.cachedReadTokens ?? 0,
        },
      });
    if (stopReason === 'cancelled') this.finish({ kind: 'stopped', by: undefined });
    else if (stopReason === 'refusal')
      this.finish({
        kind: 'failed',
        code: 'model_refused',
        detail: say('The agent declined to answer this.'),
      });
    else this.finish({ kind: 'completed', killed: [] });
  }

  private async end(end: AgentEnd, errorText: string): Promise<void> {
    this.waiting.clear();
    this.asking.clear();
    this.connection?.close();
    this.connection = undefined;
    const by = await this.stopping;
    await this.servers.close();
    if (this.run)
      this.finish(
        by === undefined ? failureOf(end, this.options.harness, errorText) : { kind: 'stopped', by },
      );
    this.quiet?.();
    void this.options.sink({ kind: 'gone', killed: [] });
  }

  private finish(outcome: HarnessOutcome): void {
    if (!this.run) return;
    this.run = false;
    tellEnd(outcome, this.stopping, (told) => {
      void this.options.sink({ kind: 'ended', outcome: told, prompted: true, goesOn: false, work: [] });
    });
    if (this.disposing) this.seat.goOn();
    else this.quiet?.();
  }
}

/** A line that may be a frame; the SDK checks what is in it. */
const isFrame = (message: unknown): message is AnyMessage =>
  typeof message === 'object' && message !== null && 'jsonrpc' in message;
