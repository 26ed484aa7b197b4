/**
 * A session with Claude Code over stream-json: one process, warm between prompts.
 *
 * Owns that process and what it told of itself. 1. A run ends once, by its result or with its process. 2. Requests
 * of the process are answered by their own ids, which never meet ours. 3. Its input stays open until it is ended.
 */
import { z } from 'zod';
import { say, type MessageId } from '../../../../protocol';
import { newUuid } from '../../../base/ids';
import type { Launch } from '../../../base/launch';
import type {
  HandedMessage,
  HarnessCapabilities,
  HarnessOpen,
  HarnessOutcome,
  HarnessPrompt,
  HarnessSession,
  HarnessVerdict,
  OwnWork,
} from '../../../engine/harnessPort';
import type { AgentTools } from '../../../engine/ports';
import { listed, missing, type Adapter } from '../adapter';
import { failureOf, tellEnd } from '../ends';
import type { AgentEnd, Surroundings } from '../outside';
import { Seat } from '../seat';
import { serveTools } from '../toolServer';
import { answerTo, callOf, elicitationOf, questionOf, type AnswerForm, type Question } from './mapApprovals';
import { claudeState, mapLine, type ClaudeMapped } from './mapEvents';
import { claudeModels } from '../claudeModels';
import { CLAUDE_INSTALL, claudeProgram, claudeRequest } from './process';
import { isLostConversation } from './resume';

const CAPABILITIES: HarnessCapabilities = {
  approvals: 'asks',
  steers: true,
  waits: 'hold',
  holdLimitMs: undefined,
  reach: { place: 'local', ways: ['native'] },
  newTools: 'new_process',
  ladder: [
    { kind: 'protocol', name: 'interrupt' },
    { kind: 'protocol', name: 'stop_task' },
    { kind: 'end_of_input' },
    { kind: 'signal', signal: 'SIGTERM' },
    { kind: 'signal', signal: 'SIGKILL' },
  ],
};

const AGENT = {
  id: 'claude',
  name: 'Claude Code',
  note: say('It asks here for everything that may do harm; plain reads it does by itself.'),
};
const SERVER = 'belay';
const UNSHOWN = say('Claude Code asked a question that cannot be shown here. Belay declined.');

export const claude: Adapter = {
  list: (around) => [listed(AGENT, claudeProgram(around), CLAUDE_INSTALL)],
  drives: (harness) => harness === AGENT.id,
  capabilities: CAPABILITIES,
  models: claudeModels,
  open: (options, around) => new ClaudeSession(options, around),
};

const Request = z.looseObject({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: z.string().optional(),
    tool_use_id: z.string().optional(),
    input: z.unknown().optional(),
    decision_reason: z.string().optional(),
    message: z.unknown().optional(),
  }),
});
const Cancelled = z.looseObject({ type: z.literal('control_cancel_request'), request_id: z.string() });

class ClaudeSession implements HarnessSession {
  private readonly seat: Seat;
  private state = claudeState;
  private conversation: string | undefined;
  /** A run is under way: one of ours, or one that it began by itself. */
  private run: { readonly prompted: boolean } | undefined;
  private tools: AgentTools | undefined;
  private launch: Launch | undefined;
  private readonly handed = new Map<string, MessageId>();
  private readonly calls = new Map<string, AbortController>();
  /** How the requests that wait here are to be answered. */
  private readonly forms = new Map<string, AnswerForm>();
  private stopping: ReturnType<Seat['climb']> | undefined;
  private disposing = false;
  /** The step of a stop under way. */
  private step = '';
  private quiet: (() => void) | undefined;
  private requests = 0;

  constructor(
    private readonly options: HarnessOpen,
    private readonly around: Surroundings,
  ) {
    this.conversation = options.resume?.id;
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
    return this.state.tasks.size > 0;
  }

  prompt(prompt: HarnessPrompt, launch: Launch): void {
    this.tools = prompt.tools;
    this.launch = launch;
    this.run = { prompted: true };
    if (!this.seat.isAlive() && !this.start(launch)) return;
    this.seat.send(userLine(prompt.text, prompt.images, newUuid()), launch);
  }

  steer({ message, text, images }: HandedMessage, launch: Launch): boolean {
    if (this.run === undefined || this.stopping !== undefined) return false;
    const uuid = newUuid();
    if (!this.seat.send(userLine(text, images, uuid), launch)) return false;
    this.handed.set(uuid, message);
    return true;
  }

  answer(request: string, verdict: HarnessVerdict, launch: Launch): boolean {
    const form = this.forms.get(request);
    if (form === undefined) return false;
    this.forms.delete(request);
    return this.seat.send(success(request, answerTo(form, verdict)), launch);
  }

  stopWork(id: string): boolean {
    if (!this.seat.isAlive() || !this.state.tasks.has(id)) return false;
    this.control({ subtype: 'stop_task', task_id: id });
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
    const isAtWork = this.run !== undefined || this.state.tasks.size > 0;
    const steps = CAPABILITIES.ladder.filter((step) => isAtWork || step.kind !== 'protocol');
    const gone = Promise.race([over, this.seat.exited]);
    const by = this.seat.climb(steps, (step) => this.ask(step), gone);
    this.stopping = by;
    void by.then(() => {
      if (!this.seat.isAlive()) return;
      this.stopping = undefined;
    });
    return by;
  }

  private ask(step: string): void {
    this.step = step;
    if (step === 'interrupt') this.control({ subtype: 'interrupt' });
    else for (const task of this.state.tasks.keys()) this.control({ subtype: 'stop_task', task_id: task });
    if (step === 'stop_task' && this.state.tasks.size === 0) this.seat.goOn();
    this.lookForQuiet();
  }

  private work(): readonly OwnWork[] {
    return [...this.state.tasks].flatMap(([id, { title, call }]) =>
      call === undefined ? [] : [{ id, call, title }],
    );
  }

  private control(request: object): void {
    this.seat.askToEnd({ type: 'control_request', request_id: `belay-${String(++this.requests)}`, request });
  }

  private start(launch: Launch): boolean {
    const hasTools = (this.tools?.specs.length ?? 0) > 0;
    const request = claudeRequest(this.options, this.conversation, hasTools, this.around);
    this.state = claudeState;
    this.stopping = undefined;
    if (request === undefined) {
      this.finish({ kind: 'failed', code: 'agent_missing', detail: missing('claude', CLAUDE_INSTALL) });
      return false;
    }
    this.seat.start(request, launch);
    if (hasTools)
      this.seat.send(
        {
          type: 'control_request',
          request_id: `belay-${String(++this.requests)}`,
          request: { subtype: 'initialize', hooks: null, sdkMcpServers: [SERVER] },
        },
        launch,
      );
    return true;
  }

  private take(message: unknown): Promise<void> | undefined {
    const request = Request.safeParse(message).data;
    if (request !== undefined) return this.takeRequest(request);
    const cancelled = Cancelled.safeParse(message).data;
    if (cancelled !== undefined) {
      this.calls.get(cancelled.request_id)?.abort();
      this.forms.delete(cancelled.request_id);
      return this.options.sink({ kind: 'permission_gone', request: cancelled.request_id });
    }
    const mapped = mapLine(this.state, message);
    this.state = mapped.state;
    return this.tell(mapped);
  }

  private tell({ events, result, replayed }: ClaudeMapped): Promise<void> | undefined {
    let room: Promise<void> | undefined;
    for (const event of events) {
      if (event.kind === 'conversation') this.conversation = event.id;
      // A turn that nobody has prompted: background work has ended, or a late message is read.
      if (event.kind === 'turn' && this.run === undefined) {
        this.run = { prompted: false };
        void this.options.sink({ kind: 'woke' });
      }
      room = this.options.sink(event);
    }
    const read = replayed === undefined ? undefined : this.handed.get(replayed);
    if (replayed !== undefined && read !== undefined) {
      this.handed.delete(replayed);
      room = this.options.sink({ kind: 'read', message: read });
    }
    if (result !== undefined) this.takeResult(result);
    this.lookForQuiet();
    return room;
  }

  private takeResult({ error, aborted, byItself }: NonNullable<ClaudeMapped['result']>): void {
    if (this.run === undefined || (byItself && this.run.prompted)) return;
    if (error === undefined) this.finish({ kind: 'completed', killed: [] });
    else if (aborted && this.stopping !== undefined) this.finish({ kind: 'stopped', by: undefined });
    else if (!this.state.hasInit && isLostConversation(error)) this.finish(LOST);
    else this.finish({ kind: 'failed', code: 'agent_failed', detail: error });
  }

  private takeRequest(request: z.infer<typeof Request>): Promise<void> | undefined {
    const { request_id: id, request: asked } = request;
    switch (asked.subtype) {
      case 'can_use_tool': {
        const call = callOf(asked.tool_use_id ?? id, asked.tool_name ?? 'tool', asked.input);
        const question = questionOf(call);
        if (question !== undefined) return this.put(id, question);
        this.forms.set(id, { kind: 'permission' });
        // An allow without answers would be an answer that nobody gave.
        if (call.deed.kind === 'question')
          return this.options.sink({ kind: 'unasked', request: id, call, detail: UNSHOWN });
        return this.options.sink({
          kind: 'permission',
          request: id,
          call,
          ...(asked.decision_reason === undefined ? {} : { why: asked.decision_reason }),
        });
      }
      case 'mcp_message':
        void this.serve(id, asked.message);
        return undefined;
      case 'elicitation':
        return this.elicit(id, asked);
      default:
        this.reply({
          type: 'control_response',
          response: { subtype: 'error', request_id: id, error: `Belay does not serve ${asked.subtype}.` },
        });
        return undefined;
    }
  }

  private put(request: string, { call, asked, form }: Question): Promise<void> {
    this.forms.set(request, form);
    return this.options.sink({ kind: 'question', request, call, asked });
  }

  private elicit(id: string, asked: unknown): Promise<void> {
    const { call, server, question } = elicitationOf(id, asked);
    if (question !== undefined) return this.put(id, question);
    this.reply(success(id, { action: 'decline' }));
    const detail = say(
      'The server {server} of Claude Code asked for something that is no form which can be shown here. Belay declined.',
      { server },
    );
    return this.options.sink({ kind: 'unasked', call, detail });
  }

  private async serve(id: string, message: unknown): Promise<void> {
    const abort = new AbortController();
    this.calls.set(id, abort);
    const answer = await serveTools(
      message,
      this.tools,
      abort.signal,
      (meta) => meta['claudecode/toolUseId'],
    );
    this.calls.delete(id);
    if (answer !== undefined && !abort.signal.aborted) this.reply(success(id, { mcp_response: answer }));
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
    if (this.run !== undefined) return;
    // What the interrupt has left is the next step's; that one waits for its end.
    if (this.state.tasks.size > 0) {
      if (this.step === 'interrupt') this.seat.goOn();
    } else if (this.disposing) this.seat.goOn();
    else this.quiet?.();
  }

  private async end(end: AgentEnd, errorText: string): Promise<void> {
    for (const call of this.calls.values()) call.abort();
    this.calls.clear();
    this.handed.clear();
    this.forms.clear();
    const by = await this.stopping;
    const killed =
      by === undefined && this.run === undefined
        ? [...this.state.tasks.values()].map((task) => task.title)
        : [];
    if (this.run !== undefined)
      this.finish(by === undefined ? failureOf(end, 'claude', errorText) : { kind: 'stopped', by });
    this.state = { ...this.state, tasks: new Map() };
    this.quiet?.();
    void this.options.sink({ kind: 'gone', killed });
  }

  private finish(outcome: HarnessOutcome): void {
    const { run } = this;
    this.run = undefined;
    if (run === undefined) return;
    const goesOn = this.isBusy() && this.seat.isAlive();
    const work = goesOn ? this.work() : [];
    tellEnd(outcome, this.stopping, (told) => {
      void this.options.sink({ kind: 'ended', outcome: told, prompted: run.prompted, goesOn, work });
    });
  }
}

const success = (id: string, response: object) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: id, response },
});

function userLine(text: string, images: HandedMessage['images'], uuid: string): object {
  const content =
    images.length === 0
      ? text
      : [
          ...images.map((image) => ({
            type: 'image',
            source: { type: 'base64', media_type: image.mediaType, data: image.data },
          })),
          { type: 'text', text },
        ];
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '', uuid };
}

const LOST: HarnessOutcome = {
  kind: 'failed',
  code: 'conversation_lost',
  detail: say('Claude Code no longer has this conversation. Send the task again to begin a new one.'),
  lost: true,
};
