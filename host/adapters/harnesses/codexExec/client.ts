/**
 * A session with `codex exec`: one process for each prompt, which ends with its turn.
 *
 * Owns that process while it runs, and what it told of itself. 1. A run ends once: by its last line and its exit,
 * the line first (H5). 2. What is killed with the process at a good end is told (H3).
 */
import { say, type Usage } from '../../../../protocol';
import type { Launch } from '../../../base/launch';
import type { AgentChannelPort } from '../../../engine/channelPort';
import type {
  HarnessCapabilities,
  HarnessOpen,
  HarnessOutcome,
  HarnessPrompt,
  HarnessSession,
} from '../../../engine/harnessPort';
import { listed, missing, type Adapter } from '../adapter';
import { LOST } from '../codexCalls';
import { codexModels } from '../codexModels';
import { CODEX_INSTALL, codexProgram } from '../codexProgram';
import { absentNow, tidy } from '../litter';
import type { AgentEnd, Surroundings } from '../outside';
import { Seat } from '../seat';
import { failureOf } from '../ends';
import { withoutPictures } from '../pictures';
import { execState, killedWork, mapLine, type ExecState } from './mapEvents';
import { execRequest, type LaidOut } from './process';
import { isLostThread, isThread, TOOL_SECONDS } from './resume';

const CAPABILITIES: HarnessCapabilities = {
  approvals: 'sandbox',
  steers: false,
  waits: 'hold',
  holdLimitMs: TOOL_SECONDS * 1_000,
  reach: { place: 'local', ways: ['mcpStdio'] },
  newTools: 'each_run',
  ladder: [
    { kind: 'signal', signal: 'SIGINT' },
    { kind: 'signal', signal: 'SIGTERM' },
    { kind: 'signal', signal: 'SIGKILL' },
  ],
};

const AGENT = {
  id: 'codex-exec',
  name: 'Codex (exec)',
  note: say(
    'It cannot ask: in the mode “ask” it only reads; in “edits” it writes and runs commands inside the workspace unasked, also to files that the editor runs by itself; in “full” nothing holds it.',
  ),
};

export const codexExec: Adapter = {
  list: (around) => [listed(AGENT, codexProgram(around), CODEX_INSTALL)],
  drives: (harness) => harness === AGENT.id,
  capabilities: CAPABILITIES,
  models: codexModels,
  open: (options, around) => new ExecSession(options, around),
};

/** The tools of a prompt, if it has any. */
const toolsOf = ({ tools }: HarnessPrompt) => (tools?.specs.length === 0 ? undefined : tools);

class ExecSession implements HarnessSession {
  private readonly seat: Seat;
  private state: ExecState;
  private thread: string | undefined;
  private used: Usage;
  private absent: readonly string[] = [];
  private over: (() => void) | undefined;
  private running: Promise<void> = Promise.resolve();
  /** Its tools are being laid out; a stop meanwhile is kept, and the program never starts. */
  private preparing = false;
  /** The step of a stop that is under way, for the run's end. */
  private stopping: ReturnType<Seat['climb']> | undefined;
  private closeTools: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly options: HarnessOpen,
    private readonly around: Surroundings,
  ) {
    this.used = options.resume?.used ?? { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    this.thread = options.resume?.id;
    this.state = execState(this.used);
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
    return this.preparing || this.seat.isAlive();
  }

  prompt(prompt: HarnessPrompt, launch: Launch): void {
    this.state = execState(this.used);
    this.stopping = undefined;
    this.running = new Promise((done) => (this.over = done));
    const { channels } = this.around;
    if (channels === undefined || (toolsOf(prompt) === undefined && prompt.images.length === 0)) {
      this.startNow(prompt, launch);
      return;
    }
    this.preparing = true;
    this.layOut(prompt, channels, launch).then(
      (laidOut) => this.startLater(prompt, laidOut, launch),
      (error: unknown) => {
        this.preparing = false;
        this.finish(failureOf(error));
      },
    );
  }

  /** What is being laid out is cleared away at the end of the run, also when that comes first. */
  private async layOut(prompt: HarnessPrompt, channels: AgentChannelPort, launch: Launch): Promise<LaidOut> {
    const tools = toolsOf(prompt);
    const shim = tools === undefined ? undefined : channels.shim(tools, launch);
    const files = prompt.images.length === 0 ? undefined : channels.pictures(prompt.images, launch);
    this.closeTools = async () => {
      for (const one of [shim, files]) await (await one?.catch(() => undefined))?.close();
    };
    const [laid, pictures] = await Promise.all([shim, files]);
    return { tools: laid, pictures: pictures?.paths ?? [] };
  }

  steer(): boolean {
    return false;
  }

  answer(): boolean {
    return false;
  }

  stopWork(): boolean {
    return false;
  }

  interrupt(): ReturnType<Seat['climb']> {
    const climb = this.seat.climb(CAPABILITIES.ladder, () => undefined, this.seat.exited);
    this.stopping = climb;
    return climb;
  }

  async dispose(): ReturnType<Seat['climb']> {
    const by = await this.interrupt();
    await this.running;
    return by;
  }

  /** What keeps it from starting is the caller's to tell, and the run is over for whoever waits for its end. */
  private startNow(prompt: HarnessPrompt, launch: Launch): void {
    try {
      this.start(prompt, { tools: undefined, pictures: [] }, launch);
    } catch (error) {
      this.over?.();
      this.over = undefined;
      throw error;
    }
  }

  private async startLater(prompt: HarnessPrompt, laidOut: LaidOut, launch: Launch): Promise<void> {
    this.preparing = false;
    if (this.stopping !== undefined) {
      this.finish({ kind: 'stopped', by: await this.stopping });
      return;
    }
    try {
      this.start(prompt, laidOut, launch);
    } catch (error) {
      this.finish(failureOf(error));
    }
  }

  private start(prompt: HarnessPrompt, laidOut: LaidOut, launch: Launch): void {
    const resume = this.thread !== undefined && isThread(this.thread) ? this.thread : undefined;
    const request = execRequest(this.options, resume, laidOut, this.around);
    if (request === undefined) {
      this.finish({ kind: 'failed', code: 'agent_missing', detail: missing('codex', CODEX_INSTALL) });
      return;
    }
    this.absent = absentNow(this.options.folder, this.around.env);
    this.seat.start(request, launch);
    this.seat.tell(withoutPictures(prompt.text, prompt.images.length - laidOut.pictures.length), launch);
  }

  private take(message: unknown): Promise<void> | undefined {
    const asked = this.thread;
    const { state, events } = mapLine(this.state, message);
    this.state = state;
    if (asked !== undefined && state.thread !== undefined && state.thread !== asked) {
      // Another thread than the one that was asked for: it knows nothing of what was said before (H6).
      this.thread = undefined;
      void this.interrupt();
      return undefined;
    }
    this.thread = state.thread ?? this.thread;
    let room: Promise<void> | undefined;
    for (const event of events) room = this.options.sink(event);
    return room;
  }

  private async end(end: AgentEnd, errorText: string): Promise<void> {
    const asked = this.options.resume?.id;
    const isOther = asked !== undefined && this.state.thread !== undefined && this.state.thread !== asked;
    const by = await this.stopping;
    await tidy(this.absent, this.around);
    this.used = this.state.used;
    this.finish(isOther ? LOST : this.outcome(end, errorText, by));
  }

  private outcome(
    end: AgentEnd,
    errorText: string,
    by: Awaited<ReturnType<Seat['climb']>> | undefined,
  ): HarnessOutcome {
    const { state } = this;
    if (by !== undefined && state.end?.kind !== 'completed') return { kind: 'stopped', by };
    if (state.end?.kind === 'completed')
      return { kind: 'completed', killed: by === undefined ? killedWork(state) : [] };
    if (state.end?.kind === 'failed')
      return { kind: 'failed', code: 'agent_failed', detail: state.end.detail };
    if (this.thread !== undefined && state.thread === undefined && isLostThread(errorText)) return LOST;
    return failureOf(end, 'codex', errorText);
  }

  private finish(outcome: HarnessOutcome): void {
    const done = this.over;
    this.over = undefined;
    this.closeTools().catch((error: unknown) =>
      this.around.log('warn', `A channel did not close: ${String(error)}`),
    );
    this.closeTools = () => Promise.resolve();
    void this.options.sink({ kind: 'ended', outcome, prompted: true, goesOn: false, work: [] });
    done?.();
  }
}
