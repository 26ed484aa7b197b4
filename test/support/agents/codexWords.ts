/** Lines of `codex exec --json`, as measured. */
import type { Puppet } from './stage';

export const THREAD = '00000000-0000-7000-8000-000000000001';
export const usage = (input: number, output: number) => ({
  type: 'turn.completed',
  usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output, reasoning_output_tokens: 0 },
});
export const started = (thread = THREAD) => [
  { type: 'thread.started', thread_id: thread },
  { type: 'turn.started' },
];
export const message = (id: string, text: string) => ({
  type: 'item.completed',
  item: { id, type: 'agent_message', text },
});
export const command = (id: string, line: string, rest: object = {}) => ({
  id,
  type: 'command_execution',
  command: `/bin/bash -lc '${line}'`,
  aggregated_output: '',
  exit_code: null,
  status: 'in_progress',
  ...rest,
});
export const ended = (id: string, line: string, output: string, code = 0) =>
  command(id, line, {
    aggregated_output: output,
    exit_code: code,
    status: code === 0 ? 'completed' : 'failed',
  });

/** A whole run that ends well. */
export async function plain(puppet: Puppet, text = 'Done.'): Promise<void> {
  await puppet.say(...started(), message('item_0', text), usage(10, 5));
  await puppet.exit(0);
}
