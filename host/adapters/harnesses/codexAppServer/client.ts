/**
 * A session with codex app-server: one process and one thread, warm between prompts.
 *
 * Owns that process and what it told of itself. 1. A run ends once, by its turn's end or with its process. 2. Turns of
 * other threads are sub-agents', and end nothing here. 3. What a stop left running is listed and terminated.
 */
import { say, type MessageId } from '../../../../protocol';
import { CordPulled, type Launch } from '../../../base/launch';
import type {
  HandedMessage,
  HarnessCapabilities,
  HarnessOpen,
  HarnessOutcome,
  HarnessPrompt,
  HarnessSession,
  HarnessVerdict,
} from '../../../engine/harnessPort';
import type { AgentTools } from '../../../engine/ports';
import { listed, missing, type Adapter } from '../adapter';
import { LOST } from '../codexCalls';
import { CODEX_INSTALL, codexProgram } from '../codexProgram';
import { failureOf, tellEnd } from '../ends';
import { Calls, RpcRefused, type Incoming } from '../jsonRpc';
import { absentNow, tidy } from '../litter';
import type { AgentEnd, Surroundings } from '../outside';
import { Seat } from '../seat';
import { contentOf } from '../toolServer';
import { Asks } from '../codexAsks';
import { codexModels } from '../codexModels';
import { mapTold, serverState, type ServerMapped } from './mapEvents';
import {
  INITIALIZE,
  inputOf,
  LADDER,
  Resolved,
  serverRequest,
  Terminals,
  ThreadStarted,
  ToolCall,
  toolItem,
  TurnStarted,
} from './process';
import { isLostThread, resumeParams, threadParams } from './resume';
import { ToldCalls } from '../toldCalls';

const CAPABILITIES: HarnessCapabilities = {
  approvals: 'asks',
  steers: true,
  waits: 'hold',
  holdLimitMs: undefined,
  reach: { place: 'local', ways: ['native'] },
  newTools: 'never',
  ladder: LADDER,
};

const AGENT = {
  id: 'codex',
  name: 'Codex',
  note: say('It asks here for every edit and for each command that is not plainly harmless.'),
};

export const codexAppServer: Adapter = {
  list: (around) => [listed(AGENT, codexProgram(around), CODEX_INSTALL)],
  drives: (harness) => harness === AGENT.id,
  capabilities: CAPABILITIES,
  models: codexModels,
  open: (options, around) => new ServerSession(options, around),
};

class ServerSession implements HarnessSession {
  private readonly seat: Seat;
  private calls = new Calls();
  private state = serverState;
  private thread: string | undefined;
  private run = false;
  private tools: AgentTools | undefined;
  private launch: Launch | undefined;
  /** Messages whose reading is told in the order in which they were sent; the prompt is none of them. */
  private unread: (MessageId | undefined)[] = [];
  private readonly asks = new Asks();
  private readonly told = new ToldCalls();
  private readonly toolCalls = new Set<AbortController>();
  private stopping: ReturnType<Seat['climb']> | undefined;
  private disposing = false;
  private step = '';
  private terminated = false;
  private quiet: (() => void) | undefined;
  private absent: readonly string[] = [];

  constructor(
    private readonly options: HarnessOpen,
    private readonly around: Surroundings,
  ) {
    this.seat = new Seat(around, {
      onMessage: (message) => this.take(this.calls.read(message)),
      onNote: (text) => void options.sink({ kind: 'notice', text }),
      onEnd: (end, errorText) => void this.end(end, errorText),
    });
  }

  isAlive(): boolean {
    return this.seat.isAlive();
  }

  isBusy(): boolean {
    return this.state.open.size > 0 || this.state.children.size > 0;
  }

  prompt(prompt: HarnessPrompt, launch: Launch): void {
    this.tools = prompt.tools;
    this.launch = launch;
    this.run = true;
    if (!this.seat.isAlive() && !this.start(launch)) return;
    this.unread = [undefined];
    this.converse(prompt, launch).catch((error: unknown) => {
      if (error instanceof CordPulled) this.finish({ kind: 'stopped', by: undefined });
      else if (this.seat.isAlive()) this.finish(this.refused(error));
    });
  }

  steer({ message, text, images }: HandedMessage, launch: Launch): boolean {
    const { thread, turn } = this.state;
    if (!this.run || thread === undefined || turn === undefined || this.stopping !== undefined) return false;
    const params = { threadId: thread, expectedTurnId: turn, input: inputOf(text, images) };
    this.unread.push(message);
    this.ask('turn/steer', params, launch).catch(() => {
      this.unread = this.unread.filter((one) => one !== message);
      void this.options.sink({ kind: 'unread', message });
    });
    return true;
  }

  answer(request: string, verdict: HarnessVerdict, launch: Launch): boolean {
    const message = this.asks.answer(request, verdict);
    return message !== undefined && this.seat.send(message, launch);
  }

  stopWork(id: string): boolean {
    if (!this.seat.isAlive() || !this.state.open.has(id)) return false;
    this.terminate((item) => item === id).catch((error: unknown) => {
      void this.options.sink({ kind: 'notice', text: `A terminal was not ended: ${String(error)}` });
    });
    return true;
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
    const isAtWork = this.run || this.isBusy();
    const steps = CAPABILITIES.ladder.filter((step) => isAtWork || step.kind !== 'protocol');
    this.terminated = false;
    const by = this.seat.climb(steps, (step) => this.askToEnd(step), Promise.race([over, this.seat.exited]));
    this.stopping = by;
    void by.then(() => {
      if (this.seat.isAlive()) this.stopping = undefined;
    });
    return by;
  }

  private askToEnd(step: string): void {
    this.step = step;
    const { thread, turn } = this.state;
    const isInterrupt = step === 'turn/interrupt';
    // Without a thread there is nothing that could be ended.
    if (thread === undefined || (isInterrupt && turn === undefined)) return this.seat.goOn();
    if (isInterrupt) {
      this.askAnyhow(step, { threadId: thread, turnId: turn }).catch(() => this.seat.goOn());
      return;
    }
    this.terminate(() => true).then(
      () => {
        this.terminated = true;
        this.lookForQuiet();
      },
      () => this.seat.goOn(),
    );
  }

  /** What only ends work is asked while everything is paused as well. */
  private askAnyhow(method: string, params: object): Promise<unknown> {
    return this.calls.ask(method, params, (message) => {
      this.seat.askToEnd(message);
      return true;
    });
  }

  /** Ends those of its background terminals whose item fits. */
  private async terminate(fits: (item: string | undefined) => boolean): Promise<void> {
    const { thread: threadId } = this.state;
    const asked = await this.askAnyhow('thread/backgroundTerminals/list', { threadId });
    const ending = (Terminals.safeParse(asked).data?.data ?? [])
      .filter(({ itemId }) => fits(itemId))
      .map(({ processId }) =>
        this.askAnyhow('thread/backgroundTerminals/terminate', { threadId, processId }),
      );
    await Promise.all(ending);
  }

  private start(launch: Launch): boolean {
    const request = serverRequest(this.options, this.around);
    this.state = serverState;
    this.thread = undefined;
    this.stopping = undefined;
    this.calls = new Calls();
    if (request === undefined) {
      this.finish({ kind: 'failed', code: 'agent_missing', detail: missing('codex', CODEX_INSTALL) });
      return false;
    }
    this.absent = absentNow(this.options.folder, this.around.env);
    this.seat.start(request, launch);
    return true;
  }

  /** From the first word to the turn. Each message leaves inside the prompt's own launch (P2, P3). */
  private async converse(prompt: HarnessPrompt, launch: Launch): Promise<void> {
    if (this.thread === undefined) {
      await this.ask('initialize', INITIALIZE, launch);
      this.seat.send({ method: 'initialized' }, launch);
      this.thread = await this.openThread(launch);
      this.state = { ...this.state, thread: this.thread };
      void this.options.sink({ kind: 'conversation', id: this.thread });
    }
    const input = inputOf(prompt.text, prompt.images);
    const reply = TurnStarted.safeParse(
      await this.ask('turn/start', { threadId: this.thread, input }, launch),
    ).data;
    if (reply !== undefined && this.run && this.state.turn === undefined)
      this.state = { ...this.state, turn: reply.turn.id };
  }

  private async openThread(launch: Launch): Promise<string> {
    const { resume } = this.options;
    const params =
      resume === undefined ? threadParams(this.options, this.tools) : resumeParams(resume.id, this.options);
    const method = resume === undefined ? 'thread/start' : 'thread/resume';
    const started = ThreadStarted.safeParse(await this.ask(method, params, launch)).data;
    if (started === undefined) throw new Error(say('codex began no thread.'));
    return started.thread.id;
  }

  private ask(method: string, params: object, launch: Launch): Promise<unknown> {
    return this.calls.ask(method, params, (message) => this.seat.send(message, launch));
  }

  private refused(error: unknown): HarnessOutcome {
    const detail = error instanceof Error ? error.message : String(error);
    const isLost = error instanceof RpcRefused && this.thread === undefined && isLostThread(detail);
    return isLost && this.options.resume !== undefined
      ? LOST
      : { kind: 'failed', code: 'agent_failed', detail };
  }

  private take(message: Incoming | undefined): Promise<void> | undefined {
    switch (message?.kind) {
      case 'asked':
        return this.takeAsked(message.id, message.method, message.params);
      case 'told':
        return this.takeTold(message.method, message.params);
      case 'reply':
      case undefined:
        return undefined;
    }
  }

  private takeTold(method: string, params: unknown): Promise<void> | undefined {
    if (method === 'serverRequest/resolved') {
      const id = Resolved.safeParse(params).data?.requestId;
      const request = id === undefined ? undefined : this.asks.close(id);
      return request === undefined ? undefined : this.options.sink({ kind: 'permission_gone', request });
    }
    const mapped = mapTold(this.state, method, params);
    this.state = mapped.state;
    return this.tell(mapped);
  }

  private tell({ events, ended, began, read }: ServerMapped): Promise<void> | undefined {
    let room: Promise<void> | undefined;
    if (began === true && !this.run) {
      this.run = true;
      void this.options.sink({ kind: 'woke' });
    }
    for (const event of events) {
      this.told.take(event);
      room = this.options.sink(event);
    }
    if (read === true) {
      const message = this.unread.shift();
      if (message !== undefined) room = this.options.sink({ kind: 'read', message });
    }
    if (ended !== undefined) this.turnEnded(ended.status, ended.error);
    this.lookForQuiet();
    return room;
  }

  private turnEnded(status: string, error: string | undefined): void {
    for (const message of this.unread)
      if (message !== undefined) void this.options.sink({ kind: 'unread', message });
    this.unread = [];
    // Behind a turn that ended well, calls of sub-agents wait on.
    if (status !== 'completed') for (const call of this.toolCalls) call.abort();
    if (status === 'completed') this.finish({ kind: 'completed', killed: [] });
    else if (status === 'interrupted') this.finish({ kind: 'stopped', by: undefined });
    else this.finish({ kind: 'failed', code: 'agent_failed', detail: error ?? say('codex’s turn failed.') });
  }

  private takeAsked(id: number | string, method: string, params: unknown): Promise<void> | undefined {
    if (method === 'item/tool/call') {
      void this.serve(id, params);
      return undefined;
    }
    const { event, reply } = this.asks.take(id, method, params, this.told);
    if (reply !== undefined) this.reply(reply);
    return event === undefined ? undefined : this.options.sink(event);
  }

  /** A client tool of Belay's: held open until its answer (C3). */
  private async serve(id: number | string, params: unknown): Promise<void> {
    const call = ToolCall.safeParse(params).data;
    if (call === undefined || this.tools === undefined) {
      this.reply({ id, result: { contentItems: [], success: false } });
      return;
    }
    const abort = new AbortController();
    this.toolCalls.add(abort);
    const from = { callId: call.callId, signal: abort.signal };
    const reply = await this.tools.call(call.tool, call.arguments ?? {}, from);
    this.toolCalls.delete(abort);
    const content = contentOf(reply);
    if (content === undefined || abort.signal.aborted) return;
    this.reply({ id, result: { contentItems: content.content.map(toolItem), success: !content.isError } });
  }

  /** Sends what the process waits for, unless everything is paused: then it is being ended. */
  private reply(message: object): void {
    if (this.launch === undefined) return;
    try {
      this.seat.send(message, this.launch);
    } catch {
      // Paused meanwhile: nothing more reaches it (C8).
    }
  }

  /** The turn and its work are gone: an interrupt is over, and what ends the process goes on to the next step. */
  private lookForQuiet(): void {
    if (this.run) return;
    // What the interrupt has left is the next step's; that one waits for its end.
    if (this.isBusy() && !this.terminated) {
      if (this.step === 'turn/interrupt') this.seat.goOn();
    } else if (this.disposing) this.seat.goOn();
    else this.quiet?.();
  }

  private async end(end: AgentEnd, errorText: string): Promise<void> {
    this.calls.dropAll();
    for (const call of this.toolCalls) call.abort();
    const by = await this.stopping;
    await tidy(this.absent, this.around);
    const killed = by === undefined && !this.run ? [...this.state.open.values()] : [];
    if (this.run)
      this.finish(by === undefined ? failureOf(end, 'codex', errorText) : { kind: 'stopped', by });
    this.state = serverState;
    this.told.clear();
    this.quiet?.();
    void this.options.sink({ kind: 'gone', killed });
  }

  private finish(outcome: HarnessOutcome): void {
    if (!this.run) return;
    this.run = false;
    const goesOn = this.isBusy() && this.seat.isAlive();
    const work = goesOn ? [...this.state.open].map(([id, title]) => ({ id, call: id, title })) : [];
    tellEnd(outcome, this.stopping, (told) => {
      void this.options.sink({ kind: 'ended', outcome: told, prompted: true, goesOn, work });
    });
  }
}
