/**
 * A Belay host as an ACP agent (H8). The only file that speaks ACP's connection. A thread shows one session; a prompt
 * lasts until its turn has ended, and what is lifted lives on behind it.
 */
import {
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type AgentApp,
  type AgentContext,
  type ContentBlock,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { BelayEvent } from '../protocol/events';
import type { Need } from '../protocol/host';
import { SessionId, TurnId } from '../protocol/ids';
import type { Question } from '../protocol/question';
import { Mode } from '../protocol/session';
import { wantsWords } from './answers';
import { HostRefusal, type HostLink } from './hostLink';
import { Prompts } from './prompts';
import { Requests } from './requests';
import { callKey, replayOf, updatesOf } from './updates';

const MODES = [
  { id: 'ask', name: 'Ask', description: 'Reads are free; the rest asks.' },
  { id: 'edits', name: 'Edits', description: 'Edits inside the folder are free, too.' },
  { id: 'full', name: 'Full', description: 'Only rules ask.' },
];

/** Turns of one page when a thread is read again. */
const PAGE = 64;

export interface AcpOptions {
  readonly host: HostLink;
  /** `provider/model-id` of new sessions. */
  readonly model: string;
  readonly version: string;
  readonly warn: (text: string) => void;
}

export function acpAgent(options: AcpOptions): AgentApp {
  const bridge = new Bridge(options);
  return agent({ name: 'belay' })
    .onConnect(({ client }) => bridge.connect(client))
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'belay', title: 'Belay', version: options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {} },
      },
    }))
    .onRequest(methods.agent.session.new, ({ params }) => bridge.open(params.cwd))
    .onRequest(methods.agent.session.load, ({ params }) => bridge.load(params.sessionId, true))
    .onRequest(methods.agent.session.resume, ({ params }) => bridge.load(params.sessionId, false))
    .onRequest(methods.agent.session.list, ({ params }) => bridge.list(params.cursor))
    .onRequest(methods.agent.session.setMode, ({ params }) => bridge.setMode(params.sessionId, params.modeId))
    .onRequest(methods.agent.session.prompt, ({ params }) => bridge.prompt(params.sessionId, params.prompt))
    .onNotification(methods.agent.session.cancel, ({ params }) => bridge.cancel(params.sessionId));
}

class Bridge {
  private readonly threads = new Set<string>();
  private readonly folders = new Set<string>();
  /** Calls that were lifted, by their handles, until these end. */
  private readonly lifted = new Map<string, string>();
  private readonly requests: Requests;
  private readonly prompts: Prompts;
  private client: AgentContext | undefined;

  constructor(private readonly options: AcpOptions) {
    const ask = async (
      request: Parameters<ConstructorParameters<typeof Requests>[1]>[0],
      signal: AbortSignal,
    ) => {
      if (this.client === undefined) return { outcome: 'cancelled' as const };
      const asked = this.client.request(methods.client.session.requestPermission, request, {
        cancellationSignal: signal,
      });
      return (await asked).outcome;
    };
    this.requests = new Requests(options.host, ask, options.warn);
    this.prompts = new Prompts(this.ask, options.host.ended, async (session) =>
      (await this.needsOf(session)).flatMap((need) => (need.kind === 'question' ? [need.question] : [])),
    );
    options.host.onEvent((event) => this.take(event));
  }

  connect(client: AgentContext): void {
    this.client = client;
  }

  async open(cwd: string) {
    await this.admit(cwd);
    const { session } = await this.ask('session/create', {
      folder: cwd,
      agent: { kind: 'model', model: this.options.model },
    });
    this.threads.add(session.id);
    return { sessionId: session.id, modes: { currentModeId: session.mode, availableModes: MODES } };
  }

  /** A thread comes back: it is shown what was said, and what waits is put to the person again. */
  async load(id: string, isReplayed: boolean) {
    const session = SessionId.parse(id);
    const { session: row } = await this.ask('session/get', { session });
    await this.admit(row.folder);
    this.threads.add(session);
    if (isReplayed) await this.replay(session);
    const handles = await allOf((page) => this.ask('handle/list', { session, state: 'open', ...page }));
    for (const handle of handles)
      if (handle.lifted) this.lifted.set(handle.id, callKey(handle.turn, handle.call));
    const needs = await this.needsOf(session);
    this.requests.putAgain(needs);
    for (const need of needs) if (need.kind === 'question') await this.askForWords(need.question);
    return { modes: { currentModeId: row.mode, availableModes: MODES } };
  }

  /** The folders that the other editor has opened are those of the workspace. */
  private async admit(folder: string): Promise<void> {
    this.folders.add(folder);
    const folders = [...this.folders].map((path) => ({ path, name: path }));
    await this.ask('settings/update', { folders });
  }

  async list(cursor: string | null | undefined) {
    const page = typeof cursor === 'string' ? { cursor } : {};
    const { items, next } = await this.ask('session/list', page);
    return {
      ...(next === undefined ? {} : { nextCursor: next }),
      sessions: items.map((session) => ({
        sessionId: session.id,
        cwd: session.folder,
        title: session.title,
        updatedAt: new Date(session.updatedAt).toISOString(),
      })),
    };
  }

  async setMode(session: string, mode: string) {
    const parsed = Mode.safeParse(mode);
    if (!parsed.success) throw RequestError.invalidParams({ mode });
    await this.ask('session/update', { session: SessionId.parse(session), mode: parsed.data });
    return {};
  }

  prompt(session: string, blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    return this.prompts.run(SessionId.parse(session), blocks);
  }

  cancel(session: string): Promise<void> {
    return this.prompts.cancel(SessionId.parse(session));
  }

  private take(event: BelayEvent): void {
    const { session } = event;
    if (session !== undefined && this.threads.has(session)) {
      if (event.type === 'call_lifted')
        this.lifted.set(event.data.handle, callKey(event.turn ?? '', event.data.call_id));
      for (const update of updatesOf(event, (handle) => this.lifted.get(handle)))
        void this.tell(session, update);
      if (event.type === 'handle_ended') this.lifted.delete(event.data.handle);
      this.follow(event, SessionId.parse(session));
    }
    this.prompts.take(event);
  }

  /** Requests come and go with their events. */
  private follow(event: BelayEvent, session: SessionId): void {
    const turn = event.turn === undefined ? undefined : TurnId.parse(event.turn);
    switch (event.type) {
      case 'approval_requested': {
        const { call_id: call, ...rest } = event.data;
        if (turn !== undefined) {
          this.requests.takeOff(rest.id);
          this.requests.put({ kind: 'approval', approval: { ...rest, call, session, turn } });
        }
        return;
      }
      case 'question_asked': {
        const { call_id: call, ...rest } = event.data;
        if (turn === undefined || rest.person === false) return;
        const question = { ...rest, call, session, turn };
        this.requests.put({ kind: 'question', question });
        void this.askForWords(question);
        return;
      }
      case 'approval_answered':
      case 'approval_closed':
      case 'question_answered':
      case 'question_closed':
        this.requests.takeOff(event.data.id);
        return;
      default:
    }
  }

  /** What only the next prompt can answer is said where the person writes that. */
  private async askForWords(question: Question): Promise<void> {
    if (!wantsWords(question)) return;
    const content = { type: 'text' as const, text: `\n${question.title}` };
    await this.tell(question.session, { sessionUpdate: 'agent_message_chunk', content });
  }

  private async replay(session: SessionId): Promise<void> {
    const pages: SessionUpdate[][] = [];
    let before: TurnId | undefined;
    do {
      const page = await this.ask('transcript/read', {
        session,
        limit: PAGE,
        ...(before === undefined ? {} : { before }),
      });
      pages.unshift(page.items.flatMap(replayOf));
      before = page.next === undefined ? undefined : TurnId.parse(page.next);
    } while (before !== undefined);
    for (const update of pages.flat()) await this.tell(session, update);
  }

  private async needsOf(session: SessionId): Promise<readonly Need[]> {
    const approvals = await allOf((page) => this.ask('approval/list', { session, ...page }));
    const questions = await allOf((page) => this.ask('question/list', { session, ...page }));
    return [
      ...approvals.map((approval) => ({ kind: 'approval' as const, approval })),
      ...questions
        .filter((question) => question.person !== false)
        .map((question) => ({ kind: 'question' as const, question })),
    ];
  }

  private async tell(sessionId: string, update: SessionUpdate): Promise<void> {
    try {
      await this.client?.notify(methods.client.session.update, { sessionId, update });
    } catch (error) {
      this.options.warn(error instanceof Error ? error.message : String(error));
    }
  }

  /** The host's refusals, as ACP's errors with the same words and the host's code. */
  private ask: HostLink['request'] = async (method, params) => {
    try {
      return await this.options.host.request(method, params);
    } catch (error) {
      if (error instanceof HostRefusal) throw new RequestError(-32000, error.message, { code: error.code });
      throw error;
    }
  };
}

/** Every page of a listing, one after the other. */
async function allOf<T>(
  read: (page: {
    cursor?: string;
  }) => Promise<{ readonly items: readonly T[]; readonly next?: string | undefined }>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let page: { cursor?: string } | undefined = {};
  while (page !== undefined) {
    const { items, next }: Awaited<ReturnType<typeof read>> = await read(page);
    all.push(...items);
    page = next === undefined ? undefined : { cursor: next };
  }
  return all;
}
