/** Calls of codex, in whatever of its two protocols they are told: what they are, and how they are named. */
import type { HarnessCall, HarnessOutcome } from '../../engine/harnessPort';
import type { CallResult } from '../../engine/ports';
import { unwrapped } from './commandLine';
import { textResult, valueResult } from './results';
import { say } from '../../../protocol';

export function commandCall(id: string, line: string, folder: string | undefined): HarnessCall {
  const command = unwrapped(line);
  return { id, tool: 'shell', title: command, args: { command }, deed: { kind: 'command', command, folder } };
}

export function mcpCall(id: string, server: string, tool: string, args: unknown): HarnessCall {
  const name = `${server}__${tool}`;
  return { id, tool: name, title: name, args: args ?? {}, deed: { kind: 'other' } };
}

export const searchCall = (id: string, query = ''): HarnessCall => ({
  id,
  tool: 'web_search',
  title: `Search the web: ${query}`,
  args: { query },
  deed: { kind: 'other' },
});

/** What is done with a sub-agent. */
export const agentCall = (id: string, tool: string, prompt: string | null | undefined): HarnessCall => ({
  id,
  tool,
  title: agentWords(tool, prompt),
  args: typeof prompt === 'string' ? { prompt } : {},
  deed: { kind: 'own' },
});

/** How a sub-agent's work is named, also when it was killed (H3). */
export function agentWords(tool: string, prompt: string | null | undefined): string {
  const first = prompt?.split('\n')[0] ?? '';
  return SPAWN.test(tool) && first !== '' ? `agent spawn_agent: ${first}` : `agent ${tool}`;
}

/** Each protocol spells it in its own way. */
const SPAWN = /^spawn_?agent$/i;

interface McpEnd {
  readonly result?: unknown;
  readonly error?: { readonly message: string } | null | undefined;
  readonly status: string;
}

export const mcpResult = ({ result, error, status }: McpEnd): CallResult =>
  error === null || error === undefined
    ? valueResult(result, status === 'failed')
    : textResult(error.message, true);

/** A resume found nothing (H6). */
export const LOST: HarnessOutcome = {
  kind: 'failed',
  code: 'conversation_lost',
  detail: say('codex no longer has this conversation. Send the task again to begin a new one.'),
  lost: true,
};
