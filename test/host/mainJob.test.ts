import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostClient, localModel } from '../support/hostClient';
import { startModelServer, type ModelServer } from '../support/modelServer';

describe('the main job', () => {
  let server: ModelServer;
  let host: HostClient;

  beforeEach(async () => {
    server = await startModelServer();
    host = await HostClient.start({ settings: localModel(server.url) });
  });
  afterEach(async () => {
    await host.stop();
    await server.stop();
    assert.deepEqual(server.violations, []);
  });

  const session = async () =>
    (
      await host.request('session/create', {
        folder: host.workspace,
        agent: { kind: 'model', model: 'local/m1' },
      })
    ).session;

  it('reads, asks before a command, runs it once allowed, and ends (A1, R1, T2)', async () => {
    writeFileSync(join(host.workspace, 'a.txt'), 'hello\n');
    server.script([
      { text: 'Looking.', calls: [{ tool: 'read', args: { path: 'a.txt' } }] },
      { text: 'Now a command.', calls: [{ tool: 'shell', args: { command: 'cat a.txt' } }] },
      { text: 'It says hello.' },
    ]);
    const { id } = await session();
    const sent = await host.request('message/send', {
      session: id,
      text: 'what does a.txt say',
      clientId: 'c1',
    });
    assert.equal(sent.state, 'started');
    const asked = await host.next('approval_requested');
    assert.equal(asked.data.title, 'cat a.txt');
    const listed = await host.request('approval/list', { session: id });
    assert.equal(listed.items.length, 1);
    const answered = await host.request('approval/answer', {
      approval: asked.data.id,
      request: 1,
      decision: 'allow',
      by: 'test',
    });
    assert.equal(answered.decision, 'allow');
    const ended = await host.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    const result = await host.next('tool_completed', 0, (event) => event.data.tool === 'shell');
    assert.deepEqual(result.data.result, { stdout: 'hello\n', stderr: '', exit_code: 0, success: true });
    const types = host.types();
    assert.ok(types.indexOf('approval_answered') < types.lastIndexOf('tool_started'));
    const second = await host.refused('approval/answer', {
      approval: asked.data.id,
      request: 1,
      decision: 'deny',
      by: 'other',
    });
    assert.equal(second.number, -32000);
    assert.equal(second.code, 'approval_answered');
    assert.equal(second.data['by'], 'test');
    assert.equal(second.message, 'Already allowed by test.');
  });
});
