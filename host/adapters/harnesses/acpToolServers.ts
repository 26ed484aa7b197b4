/** Belay's client tools as an MCP server of an ACP agent, by the first way that the agent supports (C3). Owns that server. */
import type { McpServer } from '@agentclientprotocol/sdk';
import type { Launch } from '../../base/launch';
import type { HarnessPrompt } from '../../engine/harnessPort';
import type { Surroundings } from './outside';
import type { AgentSays } from './acp/resume';

export class ToolServers {
  /** What is being opened is closed with its process, also when that ends first. */
  private closing: () => Promise<void> = () => Promise.resolve();

  constructor(private readonly around: Pick<Surroundings, 'channels'>) {}

  async open({ tools }: HarnessPrompt, launch: Launch, says: AgentSays): Promise<McpServer[]> {
    const { channels } = this.around;
    if (tools === undefined || tools.specs.length === 0 || channels === undefined) return [];
    await this.close();
    if (says.mcpHttp) {
      const http = await this.keep(channels.http(tools, launch));
      const headers = [{ name: 'authorization', value: `Bearer ${http.token}` }];
      return [{ type: 'http', name: 'belay', url: http.url, headers }];
    }
    const shim = await this.keep(channels.shim(tools, launch));
    const env = Object.entries(shim.env).map(([name, value]) => ({ name, value }));
    return [{ name: 'belay', command: shim.command, args: [...shim.args], env }];
  }

  async close(): Promise<void> {
    const { closing } = this;
    this.closing = () => Promise.resolve();
    await closing().catch(() => undefined);
  }

  private keep<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
    this.closing = async () => (await opening).close();
    return opening;
  }
}
