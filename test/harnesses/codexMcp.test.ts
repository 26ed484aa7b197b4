import assert from 'node:assert/strict';
import { agentScenes } from '../support/agents/scene';
import { begin, item, of, told, turnTold } from '../support/agents/serverWords';

describe('what codex asks for its MCP tools', () => {
  const scene = agentScenes('codex');

  it('H2 an MCP tool’s approval, and a request of a kind that nobody is asked for, each get their answer', async () => {
    const { puppet } = await begin(scene);
    await puppet.say({
      ...told('mcpServer/elicitation/request', {
        ...of(),
        serverName: 'shim',
        _meta: { codex_approval_kind: 'mcp_tool_call', tool_name: 'look', tool_params: { q: 1 } },
      }),
      id: 0,
    });
    const approval = await scene.asked();
    await scene.verdict(approval, 'allow');
    const reply = await puppet.messageLike((message) => message['id'] === 0);
    assert.deepEqual(reply['result'], { action: 'accept', content: null, _meta: null });
    await puppet.say(
      { ...told('attestation/generate', {}), id: 1 },
      { ...told('mcpServer/elicitation/request', { ...of(), serverName: 'shim', _meta: null }), id: 2 },
    );
    const unknown = await puppet.messageLike((message) => message['id'] === 1);
    assert.equal((unknown['error'] as { code: number }).code, -32601);
    const declined = await puppet.messageLike((message) => message['id'] === 2);
    assert.equal((declined['result'] as { action: string }).action, 'decline');
  });

  it('C7 H2 R5 two identical MCP calls at once have a request each, and one row each with its own result', async () => {
    const { puppet } = await begin(scene);
    const mcp = (id: string, rest: object = {}) => ({
      type: 'mcpToolCall',
      id,
      server: 'shim',
      tool: 'look',
      arguments: { q: 1, r: 2 },
      status: 'inProgress',
      ...rest,
    });
    const elicit = (id: number) => ({
      ...told('mcpServer/elicitation/request', {
        ...of(),
        serverName: 'shim',
        _meta: { codex_approval_kind: 'mcp_tool_call', tool_name: 'look', tool_params: { r: 2, q: 1 } },
      }),
      id,
    });
    await puppet.say(item('started', mcp('call_1')), item('started', mcp('call_2')), elicit(0), elicit(1));
    const one = await scene.host.next('approval_requested');
    const two = await scene.host.next('approval_requested', 0, ({ data }) => data.id !== one.data.id);
    assert.deepEqual([one.data.call_id, two.data.call_id], ['call_1', 'call_2']);
    assert.equal((await scene.host.request('approval/list', {})).items.length, 2);
    for (const [{ data }, decision, action, id] of [
      [two, 'deny', 'decline', 1],
      [one, 'allow', 'accept', 0],
    ] as const) {
      await scene.verdict({ id: data.id, request: data.request }, decision);
      const reply = await puppet.messageLike((message) => 'result' in message);
      assert.deepEqual(reply, { id, result: { action, content: null, _meta: null } });
    }
    await puppet.say(
      item('completed', mcp('call_2', { status: 'failed', error: { message: 'declined' } })),
      item('completed', mcp('call_1', { status: 'completed', result: { content: [] } })),
      turnTold('turn/completed', 'completed'),
    );
    await scene.host.next('turn_ended');
    const ends = scene.host.events.filter((event) => event.type === 'tool_completed');
    assert.deepEqual(
      ends.map(({ data }) => [data.call_id, data.failed]),
      [
        ['call_2', true],
        ['call_1', false],
      ],
    );
    const { items } = await scene.host.request('audit/list', {});
    assert.ok(
      items.every((entry) => entry.by !== 'agent'),
      JSON.stringify(items),
    );
  });
});
