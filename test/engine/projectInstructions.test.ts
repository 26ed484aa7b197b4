/** The reading of a folder's instructions, held in a test's hands: what comes while it is under way, and what it costs. */
import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import type { ProjectInstructions } from '../../host/engine/projectPort';
import { Rig } from './rig';

const FILE: ProjectInstructions = { path: 'AGENTS.md', text: 'Use tabs.' };

describe('instructions of a project while they are read', () => {
  let rig: Rig;
  let session: SessionId;
  let give: (found: ProjectInstructions | undefined) => void;

  const reading = () => {
    rig.project = new Promise((resolve) => (give = resolve));
  };
  const told = () => rig.events.filter((event) => event.type === 'project_read').length;
  const asked = () => rig.begun.filter((one) => one.startsWith('model')).length;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session();
    reading();
  });
  afterEach(() => rig.close());

  it('R1 the model is asked only once what it is told has been recorded', async () => {
    await rig.send(session, 'go');
    await rig.quiet();
    assert.deepEqual([asked(), told()], [0, 0]);
    give(FILE);
    await rig.quiet();
    assert.deepEqual([asked(), told()], [1, 1]);
  });

  it('P1 P3 a pull that comes meanwhile waits for it, and the model is asked after release', async () => {
    await rig.send(session, 'go');
    const pulled = rig.engine.pull('test', undefined);
    await rig.quiet();
    give(FILE);
    await pulled;
    await rig.quiet();
    assert.deepEqual([asked(), told()], [0, 0]);
    assert.equal(rig.snapshot.sessions[0]?.state, 'paused');
    await rig.engine.release('test');
    await rig.quiet();
    assert.deepEqual([asked(), told()], [1, 1]);
  });

  it('T5 R5 an interrupt meanwhile ends the turn, and no model is asked', async () => {
    const { turn } = await rig.send(session, 'go');
    assert.ok(turn !== undefined);
    const over = rig.engine.interrupt(session, turn);
    await rig.quiet();
    give(FILE);
    await over;
    assert.deepEqual([asked(), told()], [0, 0]);
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
  });

  it('D6 costs one commit when it has changed, and none when it has not', async () => {
    const commits = async (act: () => unknown) => {
      await rig.quiet();
      const before = rig.opened.store.stats().commits;
      await act();
      await rig.quiet();
      return rig.opened.store.stats().commits - before;
    };
    assert.equal(await commits(() => rig.send(session, 'go')), 1);
    assert.equal(await commits(() => give(FILE)), 1);
    assert.equal(await commits(() => rig.answers[0]?.give({ text: 'x' })), 1);
    reading();
    assert.equal(await commits(() => rig.send(session, 'again')), 1);
    assert.equal(await commits(() => give({ ...FILE })), 0);
    assert.equal(asked(), 2);
  });

  it('T6 an attempt that failed is made again without another look', async () => {
    give(FILE);
    await rig.send(session, 'go');
    await rig.quiet();
    reading();
    rig.answers[0]?.fail();
    await rig.quiet();
    await rig.advance(1_000);
    assert.equal(asked(), 2);
  });

  it('A11 without trust nothing is read', async () => {
    give(FILE);
    rig.trusted = false;
    await rig.send(session, 'go').catch(() => undefined);
    await rig.quiet();
    assert.deepEqual([asked(), told()], [0, 0]);
  });
});
