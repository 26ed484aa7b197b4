import assert from 'node:assert/strict';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: calls of tools', () => {
  let standIn: StandIn;
  before(() => (standIn = new StandIn()));
  const scene = scenes({ lazily: () => ({ mcp: { servers: { fake: standIn.config() } } }) });
  const call = (tool: string, args: object = {}, id = 'c1') => ({ tool: `fake__${tool}`, args, id });
  after(() => standIn.stop());

  it('M2 a tool is offered as SERVER__TOOL, asks like a command, and runs once allowed (A1)', async () => {
    scene.server.script([{ calls: [call('echo', { text: 'hello' })] }, done()]);
    await scene.say('go');
    const approval = await scene.host.next('approval_requested');
    assert.equal(approval.data.tool, 'fake__echo');
    assert.equal(approval.data.title, 'fake: echo');
    assert.deepEqual(standIn.calls, []);
    await scene.allow(approval.data);
    await scene.host.next('turn_ended');
    assert.deepEqual(toldOf(scene.server, 'c1'), { text: 'hello' });
    assert.deepEqual(standIn.calls, ['echo']);
  });
});
