/**
 * Which call of a turn a tool's call is (C7): by the model's own id, which good harnesses hand over, else first in,
 * first out per name and canonical arguments, within the turn. Pure.
 */
import type { CallRecord } from '../records';

/** JSON with sorted keys; no arguments are an empty object. */
export function canonical(args: unknown): string {
  return JSON.stringify(args ?? {}, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** The name of Belay's tools as an MCP server; CLIs put it before each tool's own, each in its way. */
const PREFIX = /^(?:mcp__)?belay(?:__|\.)/;

/** The client tool that an agent means by the name of a call in its own stream; a bare name is the agent's own tool. */
export const clientToolName = (tool: string): string | undefined =>
  PREFIX.test(tool) ? tool.replace(PREFIX, '') : undefined;

/** The oldest call that the agent has told of, that waits for this very answer, and that nobody has claimed. */
export function unclaimed(
  calls: readonly CallRecord[],
  claimed: ReadonlySet<string>,
  tool: string,
  args: unknown,
): CallRecord | undefined {
  const wanted = canonical(args);
  return calls.find(
    (call) =>
      call.tool === tool &&
      call.status === 'planned' &&
      !claimed.has(call.call) &&
      'args' in call.prepared &&
      canonical(call.prepared.args) === wanted,
  );
}
