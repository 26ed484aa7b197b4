/** By which tested way an outside agent gets its tools, and none other (C2, C3). Pure. */
import type { ToolReach } from '../ports';

export type ToolWay =
  /** The agent's own protocol: it reaches the agent wherever that is. */
  | 'native'
  /** MCP over HTTP on 127.0.0.1. */
  | 'http'
  /** The stdio shim over a local socket. */
  | 'socket'
  /** The same shim through files in a shared folder. */
  | 'relay';

/** Undefined where no tested way leads: such an agent is refused before it starts, never started with fewer tools. */
export function toolWay({ place, ways }: ToolReach): ToolWay | undefined {
  if (ways.includes('native')) return 'native';
  switch (place) {
    case 'local':
      if (ways.includes('mcpHttp')) return 'http';
      return ways.includes('mcpStdio') ? 'socket' : undefined;
    case 'sharedFolder':
      return ways.includes('mcpStdio') ? 'relay' : undefined;
    case 'elsewhere':
      return undefined;
  }
}
