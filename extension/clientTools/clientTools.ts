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
import { messageOf } from '../hostError';

export type ToolCall = ClientParamsOf<'clientTool/run'>;

/** A tool, and what fulfils its calls. */
export interface ServedTool extends ClientToolSpec {
  readonly run: (call: ToolCall, token: CancellationToken) => Promise<Answer> | Answer;
}

/** How this window names itself; after a reload it is the same client. */
const CLIENT = 'vscode';

export class ClientTools {
  private readonly tools = new Map<string, ServedTool>();
  private host: HostClient | undefined;
  private told = '';

  constructor(
    private readonly cord: () => Cord | undefined,
    private readonly warn: (text: string) => void,
  ) {}

  /** Tells this host what can be fulfilled here, each time that it has started. */
  follow(host: HostClient): void {
    this.host = host;
    host.onStatus((status) => {
      this.told = '';
      if (status.kind === 'ready') void this.tell().catch((error: unknown) => this.warn(messageOf(error)));
    });
  }

  /** Rejects when the host cannot use the tool; then it is not registered. */
  async add(tool: ServedTool): Promise<void> {
    if (this.tools.has(tool.name)) throw new Error(`A tool named ${tool.name} is registered already.`);
    this.tools.set(tool.name, tool);
    try {
      await this.tell();
    } catch (error) {
      this.tools.delete(tool.name);
      throw error;
    }
  }

  remove(name: string): void {
    if (this.tools.delete(name)) void this.tell().catch((error: unknown) => this.warn(messageOf(error)));
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

  private async tell(): Promise<void> {
    if (this.host?.status.kind !== 'ready') return;
    const tools = [...this.tools.values()].map(({ run: _run, ...spec }) => spec);
    const told = JSON.stringify(tools);
    if (told === this.told) return;
    this.told = told;
    await this.host.request('clientTool/register', { client: CLIENT, tools });
  }
}

const refusal = (code: string, message: string) => new ResponseError(-32000, message, { code });
