/**
 * Calls that codex has told of and that have no end yet. A request for an MCP tool names no item: it is for the first
 * one of this tool with these arguments that nobody has asked for (measured: the item is told before its request).
 */
import { isDeepStrictEqual } from 'node:util';
import type { HarnessCall, HarnessEvent } from '../../engine/harnessPort';

export class ToldCalls {
  private readonly calls = new Map<string, HarnessCall>();
  private readonly claimed = new Set<string>();

  take(event: HarnessEvent): void {
    if (event.kind === 'call') this.calls.set(event.call.id, event.call);
    if (event.kind !== 'result') return;
    this.calls.delete(event.id);
    this.claimed.delete(event.id);
  }

  find(id: string): HarnessCall | undefined {
    return this.calls.get(id);
  }

  /** First in, first out (C7); each is given away once. */
  claim(tool: string, args: unknown): HarnessCall | undefined {
    const found = [...this.calls.values()].find(
      (call) => !this.claimed.has(call.id) && call.tool === tool && isDeepStrictEqual(call.args, args),
    );
    if (found !== undefined) this.claimed.add(found.id);
    return found;
  }

  /** Its process has gone. */
  clear(): void {
    this.calls.clear();
    this.claimed.clear();
  }
}
