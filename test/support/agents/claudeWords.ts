/** Lines of Claude Code's stream-json, as measured. */
export const SESSION = '00000000-0000-4000-8000-000000000001';

export const init = (session = SESSION) => ({
  type: 'system',
  subtype: 'init',
  session_id: session,
  mcp_servers: [],
});
const assistant = (block: object, rest: object = {}) => ({
  type: 'assistant',
  message: { id: 'msg_1', role: 'assistant', model: 'claude-opus-4-8', content: [block], stop_reason: null },
  parent_tool_use_id: null,
  session_id: SESSION,
  ...rest,
});
export const said = (text: string, rest: object = {}) => assistant({ type: 'text', text }, rest);
export const use = (id: string, name: string, input: object) =>
  assistant({ type: 'tool_use', id, name, input });
export const bash = (id: string, command: string, rest: object = {}) => use(id, 'Bash', { command, ...rest });
export const toolResult = (id: string, text: string, rest: object = {}) => ({
  type: 'user',
  message: {
    role: 'user',
    content: [{ tool_use_id: id, type: 'tool_result', content: text, is_error: false, ...rest }],
  },
  parent_tool_use_id: null,
});
export const result = (text: string, rest: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  total_cost_usd: 0.001,
  usage: { input_tokens: 10, cache_read_input_tokens: 4, output_tokens: 5 },
  ...rest,
});
export const aborted = () =>
  result('', {
    subtype: 'error_during_execution',
    is_error: true,
    terminal_reason: 'aborted_tools',
    errors: ['[ede_diagnostic]'],
  });
export const canUse = (request: string, id: string, tool: string, input: object, rest: object = {}) => ({
  type: 'control_request',
  request_id: request,
  request: { subtype: 'can_use_tool', tool_name: tool, input, tool_use_id: id, ...rest },
});
export const task = (id: string, description: string) => ({
  type: 'system',
  subtype: 'task_started',
  task_id: id,
  description,
  task_type: 'local_bash',
});
export const taskEnd = (id: string, status: string) => ({
  type: 'system',
  subtype: 'task_updated',
  task_id: id,
  patch: { status },
});
export const confirmed = (request: unknown) => ({
  type: 'control_response',
  response: { subtype: 'success', request_id: request },
});
