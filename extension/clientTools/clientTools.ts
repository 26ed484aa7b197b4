/**
 * The client tools that this window fulfils: Belay's own, and those that other extensions register (C1).
 *
 * Owns: the handlers, by name. Does not own: requests; the host keeps them and hands them over, once and again
 * after a reload. 1. The host knows at each moment what can be fulfilled here. 2. Nothing starts here while the cord
 * is known to be pulled (P2).
 */
import { ResponseError, type CancellationToken } from 'vscode-jsonrpc/node';
import type { Answer, ClientParamsOf, ClientToolSpec } from '../../protocol';
import type { Cord } from '../editorModels';
import type { HostClient } from '../hostClient';
import { HostError, messageOf } from '../hostError';

export type ToolCall = ClientParamsOf<'clientTool/run'>;

/** A tool, and what fulfils its calls. */
export interface ServedTool extends ClientToolSpec {
  readonly run: (call: ToolCall, token: CancellationToken) => Promise<Answer> | Answer;
}

/** How this window names itself; after a reload it is the same client. */
const CLIENT = 'vscode';

/** What a caller is told of its tool, once the host has said it. */
interface Verdict {
  readonly taken: () => void;
  readonly refused: (error: unknown) => void;
}

export class ClientTools {
  private readonly tools = new Map<string, ServedTool>();
  private readonly verdicts = new Map<ServedTool, Verdict>();
  private host: HostClient | undefined;
  private told = '';
  /** What the host that runs now has taken. */
  private taken: readonly ServedTool[] = [];
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly cord: () => Cord | undefined,
    private readonly warn: (text: string) => void,
  ) {}

  /** Tells this host what can be fulfilled here, each time that it has started. */
  follow(host: HostClient): void {
    this.host = host;
    host.onStatus((status) => {
      if (status.kind !== 'ready') return;
      void this.telling.then(() => {
        this.told = '';
        this.taken = [];
      });
      void this.tell();
    });
  }

  /** Resolves once a host has taken the tool. Rejects when it cannot use it; then it is not registered. */
  add(tool: ServedTool): Promise<void> {
    if (this.tools.has(tool.name))
      return Promise.reject(new Error(`A tool named ${tool.name} is registered already.`));
    const unfit = unfitOf(tool);
    if (unfit !== undefined) return Promise.reject(unfit);
    this.tools.set(tool.name, tool);
    const verdict = new Promise<void>((taken, refused) => this.verdicts.set(tool, { taken, refused }));
    void this.tell();
    return verdict;
  }

  /** A tool that somebody else has registered under its name since then stays. */
  remove(tool: ServedTool): void {
    if (this.tools.get(tool.name) !== tool) return;
    this.tools.delete(tool.name);
    void this.tell();
  }

  async run(call: ToolCall, token: CancellationToken): Promise<Answer> {
    const tool = this.tools.get(call.tool);
    if (tool === undefined) throw refusal('client_gone', `Nobody serves ${call.tool} here any more.`);
    const now = this.cord();
    if (token.isCancellationRequested || (now !== undefined && (now.paused || now.epoch > call.epoch)))
      throw refusal('host_paused', 'Paused: it was not started.');
    try {
      return await tool.run(call, token);
    } catch (error) {
      return { error: messageOf(error) };
    }
  }

  /** One after the other: what is told last is what stands. */
  private tell(): Promise<void> {
    this.telling = this.telling
      .then(() => this.tellAll())
      .catch((error: unknown) => this.warn(messageOf(error)));
    return this.telling;
  }

  private async tellAll(): Promise<void> {
    if (this.host?.status.kind !== 'ready') return;
    const all = [...this.tools.values()];
    const list = JSON.stringify(all);
    if (list !== this.told) {
      this.told = '';
      if ((await this.register(all)) !== undefined) return this.tellEach(all);
      this.told = list;
    }
    for (const tool of all) this.settle(tool, undefined);
  }

  /**
   * A list is taken whole or not at all: the one that the host cannot use must not take the others with it. What the
   * host has taken before stays in each list, since a call of a tool that is left out for a moment would end.
   */
  private async tellEach(all: readonly ServedTool[]): Promise<void> {
    const sound = all.filter((tool) => this.taken.includes(tool));
    for (const tool of all) {
      if (sound.includes(tool)) continue;
      const refused = await this.register([...sound, tool]);
      if (refused === undefined) sound.push(tool);
      else if (this.tools.get(tool.name) === tool) this.tools.delete(tool.name);
      this.settle(tool, refused);
    }
  }

  /** The refusal of a tool in this list; what else goes wrong is thrown: the next host is told again. */
  private async register(tools: readonly ServedTool[]): Promise<HostError | undefined> {
    try {
      await this.host?.request('clientTool/register', {
        client: CLIENT,
        tools: tools.map(({ run: _run, ...spec }) => spec),
      });
      this.taken = tools;
      return undefined;
    } catch (error) {
      if (error instanceof HostError && error.code === 'invalid_params') return error;
      throw error;
    }
  }

  private settle(tool: ServedTool, refused: HostError | undefined): void {
    const verdict = this.verdicts.get(tool);
    this.verdicts.delete(tool);
    if (refused === undefined) return verdict?.taken();
    this.warn(refused.message);
    verdict?.refused(refused);
  }
}

const refusal = (code: string, message: string) => new ResponseError(-32000, message, { code });

/** One whose description is no JSON can be told to nobody, and must not keep the others from being told. */
function unfitOf({ name, ...rest }: ServedTool): Error | undefined {
  try {
    JSON.stringify(rest);
    return undefined;
  } catch (error) {
    return new Error(`The tool ${name} cannot be written as JSON: ${messageOf(error)}`);
  }
}
