/** An outside agent in a test's hands: what it can do is the test's to say, and its tools are the test's to call. */
import type {
  HarnessCapabilities,
  HarnessEvent,
  HarnessPort,
  HarnessPrompt,
  HarnessSink,
} from '../../host/engine/harnessPort';
import type { AgentTools } from '../../host/engine/ports';

export class RigAgent implements HarnessPort {
  can: HarnessCapabilities = {
    approvals: 'asks',
    steers: true,
    waits: 'hold',
    holdLimitMs: undefined,
    newTools: 'never',
    reach: { place: 'local', ways: ['native'] },
    ladder: [],
  };
  readonly prompts: HarnessPrompt[] = [];
  readonly steered: string[] = [];
  /** How often a process has been made. */
  opened = 0;
  /** Until when a process that is let go takes to end. */
  holds: Promise<void> = Promise.resolve();
  private sink: HarnessSink = () => Promise.resolve();
  private alive = false;

  list() {
    return Promise.resolve([]);
  }

  capabilities() {
    return this.can;
  }

  prepare() {
    return Promise.resolve({ error: 'tool_unknown', detail: 'none' } as const);
  }

  readonly models: HarnessPort['models'] = () => Promise.resolve({ items: [] });
  readonly underWay: HarnessPort['underWay'] = () => [];
  readonly gone: HarnessPort['gone'] = () => Promise.resolve();

  open: HarnessPort['open'] = (options) => {
    this.sink = options.sink;
    this.alive = true;
    this.opened += 1;
    return {
      isAlive: () => this.alive,
      isBusy: () => false,
      prompt: (prompt, launch) => launch(() => void this.prompts.push(prompt)),
      steer: (message, launch) => launch(() => this.steered.push(message.text) > 0),
      answer: () => false,
      stopWork: () => false,
      interrupt: () => this.stop(),
      dispose: () => this.holds.then(() => this.stop()),
    };
  };

  /** The tools of the run under way. */
  get tools(): AgentTools {
    const tools = this.prompts.at(-1)?.tools;
    if (tools === undefined) throw new Error('The agent was given no tools.');
    return tools;
  }

  /** The agent tells of a call of its own. */
  async calls(id: string, tool: string): Promise<void> {
    const call = { id, tool, title: tool, args: {}, deed: { kind: 'other' } } as const;
    await this.sink({ kind: 'call', call, started: true });
  }

  /** The agent tells of anything. */
  tell(event: HarnessEvent): Promise<void> {
    return Promise.resolve(this.sink(event));
  }

  /** The agent's turn is over. */
  async end(): Promise<void> {
    await this.sink({
      kind: 'ended',
      outcome: { kind: 'completed', killed: [] },
      prompted: true,
      goesOn: false,
      work: [],
    });
  }

  private async stop() {
    if (this.alive) {
      this.alive = false;
      await this.sink({
        kind: 'ended',
        outcome: { kind: 'stopped', by: undefined },
        prompted: true,
        goesOn: false,
        work: [],
      });
      await this.sink({ kind: 'gone', killed: [] });
    }
    return { step: 'end_of_input', survivors: [] };
  }
}
