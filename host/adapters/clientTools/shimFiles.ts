/** What a shim is started with: the command line, its tools as a file, and the names of its environment. */
import { SHIM_ENV, type ShimTool } from '../../../protocol';
import type { AgentTools } from '../../engine/ports';

/** The name of the file with the tools, in a folder of its channel. */
export const TOOLS_FILE = 'tools.json';

export const toolsJson = (tools: AgentTools): string =>
  JSON.stringify(
    tools.specs.map((spec): ShimTool => ({
      name: spec.name,
      description: spec.description,
      inputSchema: spec.schema,
    })),
  );

export const shimEnv = (
  at: Readonly<Partial<Record<keyof typeof SHIM_ENV, string>>>,
): Readonly<Record<string, string>> => ({
  // The editor's own binary is a Node only when it is told so.
  ELECTRON_RUN_AS_NODE: '1',
  ...Object.fromEntries(
    Object.entries(SHIM_ENV).flatMap(([key, name]) => {
      const value = Object.entries(at).find(([one]) => one === key)?.[1];
      return value === undefined ? [] : [[name, value]];
    }),
  ),
});
