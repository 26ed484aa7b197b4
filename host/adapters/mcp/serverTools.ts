/**
 * The tools of a server: as it told them last, and asked for anew when it says that they have changed (M2).
 * T1 One list is asked for at a time; a change that is told while it is on its way is asked for behind it.
 * T2 A server that tells of changes without end is asked once in `LIST_FLOOR_MS`, and only what differs is told on (R10).
 */
import type { Clock } from '../../base/clock';
import { CordPulled } from '../../base/launch';
import { redactDeep } from '../../base/redact';
import type { ServerConfig } from './config';
import type { Remembered } from './remembered';
import type { ServersNeed } from './room';
import { toolsOf, type Tool } from './tools';
import { sentence } from './words';

/** Between two lists, ms: a person sees no delay in it, and a server that loops costs nothing. */
const LIST_FLOOR_MS = 250;

export interface ServerToolsOptions {
  readonly need: Pick<ServersNeed, 'clock' | 'cord' | 'secrets' | 'log'>;
  readonly config: () => ServerConfig;
  readonly remembered: Remembered;
  /** Asks the server for its list; undefined when there is none to ask, or when it has gone meanwhile. */
  readonly ask: () => Promise<readonly unknown[] | undefined> | undefined;
  readonly note: (text: string) => void;
  /** Another list stands. */
  readonly changed: () => void;
}

export class ServerTools {
  private tools: readonly Tool[] | undefined;
  private isAsking = false;
  private isChanged = false;

  constructor(private readonly options: ServerToolsOptions) {
    this.recall();
  }

  /** Undefined until somebody has seen them with the configuration of now. */
  get known(): readonly Tool[] | undefined {
    return this.tools;
  }

  find(name: string): Tool | undefined {
    return this.tools?.find((tool) => tool.name === name);
  }

  /** The configuration is another: its tools are those that were seen with it. */
  recall(): void {
    const { id, hash } = this.options.config();
    const { tools } = this.options.remembered.record;
    this.tools = tools?.hash === hash ? toolsOf(id, tools.list).tools : undefined;
  }

  /** Takes a list as the server told it; false when it is what was known. */
  take(told: readonly unknown[]): boolean {
    const { id, hash, name } = this.options.config();
    const { need, remembered, note } = this.options;
    const raw = told.map((tool) => redactDeep({ tool }, need.secrets())['tool']);
    const { tools, problems } = toolsOf(id, raw);
    for (const problem of problems) note(problem);
    this.tools = tools;
    const before = remembered.record.tools;
    if (before?.hash === hash && JSON.stringify(before.list) === JSON.stringify(raw)) return false;
    remembered
      .change({ tools: { hash, list: raw } })
      .catch((error: unknown) =>
        need.log('warn', `The tools of ${name} could not be kept: ${sentence(error)}`),
      );
    return true;
  }

  /** The server says that its list has changed. */
  listChanged(): void {
    this.isChanged = true;
    if (!this.isAsking) void this.askAgain();
  }

  private async askAgain(): Promise<void> {
    const { need, ask, note, changed } = this.options;
    this.isAsking = true;
    while (this.isChanged) {
      while (need.cord.pulled) await need.cord.released();
      // From here on a further change is asked for again.
      this.isChanged = false;
      try {
        const told = await ask();
        if (told !== undefined && this.take(told)) changed();
      } catch (error) {
        // Pulled between two pages: the change is still to be read, after the release.
        if (error instanceof CordPulled) this.isChanged = true;
        else note(`Its list of tools could not be read again: ${sentence(error)}`);
      }
      await rest(need.clock);
    }
    this.isAsking = false;
  }
}

const rest = (clock: Clock): Promise<void> =>
  new Promise((resolve) => void clock.after(LIST_FLOOR_MS, resolve));
