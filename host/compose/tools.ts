/** The tools of a host: its own, and those of its MCP servers, as one port. */
import type { ToolPort } from '../engine/ports';

export interface Others {
  readonly tools: ToolPort;
  /** True for a name that begins with the name of one of them. */
  owns(tool: string): boolean;
}

export function joinTools(own: ToolPort, others: Others): ToolPort {
  const of = (tool: string): ToolPort => (others.owns(tool) ? others.tools : own);
  return {
    specs: () => [...own.specs(), ...others.tools.specs()],
    originOf: (tool) => of(tool).originOf(tool),
    ready: (launch, signal) => others.tools.ready?.(launch, signal),
    underWay: () => others.tools.underWay?.() ?? [],
    gone: async () => others.tools.gone?.(),
    prepare: (tool, args, place) => of(tool).prepare(tool, args, place),
    // A server that is configured no longer still answers for what was prepared for it.
    run: (prepared, ...rest) => (prepared.server === undefined ? own : others.tools).run(prepared, ...rest),
    sides: (prepared, place) => of(prepared.tool).sides(prepared, place),
  };
}
