import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { Rig } from './rig';

describe('processes of outside agents', () => {
  let rig: Rig;
  let session: SessionId;
  let letGo: () => void;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('ask', { kind: 'harness', harness: 'rig' });
    await rig.send(session, 'go');
    await rig.quiet();
    await rig.agent.end();
    await rig.quiet();
    rig.agent.holds = new Promise((resolve) => (letGo = resolve));
  });
  afterEach(async () => {
    letGo();
    await rig.close();
  });

  const quietTold = () => rig.events.filter((event) => event.type === 'host_quiet').length;

  it('P1 H7 one that is being let go is under way until it has been seen gone, and the host is not quiet before', async () => {
    await rig.engine.changeSession(session, { agent: { kind: 'model', model: 'm/m' } });
    await rig.quiet();
    const pulled = rig.engine.pull('you', undefined);
    await rig.quiet();
    await rig.advance(250);
    const agent = [{ kind: 'agent', id: session, title: 'test' }];
    const { ended, stopping } = await pulled;
    assert.deepEqual([ended, stopping], [agent, agent]);
    assert.equal(quietTold(), 0);
    letGo();
    await rig.quiet();
    assert.equal(quietTold(), 1);
  });

  it('T10 H7 the host’s end waits for one that is being let go', async () => {
    await rig.engine.changeSession(session, { agent: { kind: 'model', model: 'm/m' } });
    await rig.quiet();
    let isOver = false;
    const stopped = rig.engine.stop(60_000).then(() => (isOver = true));
    await rig.quiet();
    assert.equal(isOver, false);
    letGo();
    await stopped;
  });

  it('H7 after a change of the mode the next process starts once the earlier one has been seen gone', async () => {
    await rig.engine.changeSession(session, { mode: 'full' });
    await rig.send(session, 'once more');
    await rig.quiet();
    assert.deepEqual([rig.agent.opened, rig.agent.prompts.length], [1, 1]);
    letGo();
    await rig.quiet();
    assert.deepEqual([rig.agent.opened, rig.agent.prompts.length], [2, 2]);
    assert.match(rig.agent.prompts.at(-1)?.text ?? '', /once more/);
  });

  it('T5 H7 a turn that waits for that end can be stopped, and only the newest one is prompted', async () => {
    await rig.engine.changeSession(session, { mode: 'full' });
    await rig.send(session, 'first');
    await rig.quiet();
    const turn = rig.snapshot.sessions[0]?.turn;
    assert.ok(turn !== undefined);
    await rig.engine.interrupt(session, turn);
    await rig.send(session, 'second');
    await rig.quiet();
    letGo();
    await rig.quiet();
    assert.equal(rig.agent.prompts.length, 2);
    assert.match(rig.agent.prompts.at(-1)?.text ?? '', /second/);
  });

  it('C1 H2 an agent’s own tool that bears a client tool’s name stays the agent’s: its call is not dropped', async () => {
    await rig.send(session, 'once more');
    await rig.quiet();
    await rig.agent.calls('own', 'ask');
    await rig.agent.calls('ours', 'mcp__belay__ask');
    await rig.quiet();
    const planned = rig.events.flatMap((event) =>
      event.type === 'calls_planned' ? event.data.calls.map((call) => call.call_id) : [],
    );
    assert.deepEqual(planned, ['own']);
  });
});
