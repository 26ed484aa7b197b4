import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

/** What each kind of step costs (D6). A change here is a question: what is the additional commit for? */
describe('commits and syncs', () => {
  let rig: Rig;
  let session: SessionId;

  const setUp = async (mode: 'ask' | 'full') => {
    rig = await new Rig().open();
    session = await rig.session(mode);
  };
  afterEach(() => rig.close());

  /** Commits, syncs and statements of what `act` brings about. */
  const costOf = async (act: () => Promise<unknown>) => {
    await rig.quiet();
    const before = { ...rig.opened.store.stats(), statements: rig.statements };
    await act();
    await rig.quiet();
    const after = rig.opened.store.stats();
    return {
      commits: after.commits - before.commits,
      syncs: after.syncs - before.syncs,
      statements: rig.statements - before.statements,
    };
  };
  const commits = async (act: () => Promise<unknown>) => {
    const { commits, syncs } = await costOf(act);
    assert.equal(syncs, commits, 'each commit that stands alone is one sync');
    return commits;
  };
  const answer = (...calls: Parameters<typeof plannedCall>[]) => {
    rig.answers[0]?.give({ text: 'x', calls: calls.map((call) => plannedCall(...call)) });
    return Promise.resolve();
  };
  const allow = (n = 0) => {
    const need = rig.snapshot.needs[n];
    assert.ok(need?.kind === 'approval');
    return rig.engine.verdict({
      approval: need.approval.id,
      request: need.approval.request,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'one',
    });
  };

  it('D6 a plain turn: one for the message and its start, one for the answer and the end', async () => {
    await setUp('ask');
    assert.equal(await commits(() => rig.send(session, 'go')), 1);
    assert.equal(await commits(() => answer()), 1);
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
  });

  it('D6 a free round: one for the answer, its plan and the start, one for the result and the next request', async () => {
    await setUp('full');
    await rig.send(session, 'go');
    assert.equal(await commits(() => answer(['c1', 'gated'])), 1);
    assert.equal(await commits(async () => rig.runs[0]?.finish()), 1);
    assert.equal(rig.answers.length, 1);
  });

  it('D6 a verdict that is held for is one, with the start in it; parking is one, and a parked verdict is one', async () => {
    await setUp('ask');
    await rig.send(session, 'go');
    assert.equal(await commits(() => answer(['c1', 'gated'], ['c2', 'gated'])), 1);
    assert.equal(await commits(() => allow()), 1);
    assert.equal(rig.runs.length, 1);
    assert.equal(await commits(async () => rig.runs[0]?.finish()), 1);
    // The store folds its log when it is idle, so the syncs of this one are not its own.
    assert.equal((await costOf(() => rig.advance(2_000))).commits, 1);
    assert.equal(rig.snapshot.sessions[0]?.state, 'waiting');
    assert.equal(rig.engine.schedule.size, 0, 'R8: a parked turn has no deadline');
    assert.equal(await commits(() => allow()), 1);
    assert.equal(rig.runs.length, 1);
  });

  it('L4 a lift is one commit, with the reading of the message in it', async () => {
    await setUp('ask');
    await rig.send(session, 'go');
    await answer(['c1', 'gated']);
    await rig.quiet();
    await rig.advance(2_000);
    assert.equal(await commits(() => rig.send(session, 'wait')), 1, 'parked: the message and the lift');
    assert.ok(rig.events.some((event) => event.type === 'call_lifted'));
    await answer(['c2', 'gated']);
    await rig.quiet();
    assert.equal(await commits(() => rig.send(session, 'again')), 1, 'held live: the message');
    assert.equal((await costOf(() => rig.advance(250))).commits, 1, 'then the lift');
  });

  it('L4 a turn with no waiting call pays nothing when a message comes: no commit, and no statement, of a lift', async () => {
    await setUp('ask');
    await rig.send(session, 'go');
    const steered = await costOf(() => rig.send(session, 'more'));
    const queued = await costOf(() => rig.send(session, 'later', 'queue'));
    assert.equal(steered.commits, 1);
    assert.ok(
      steered.statements - queued.statements <= 1,
      `a steer took ${String(steered.statements)} statements, a queued message ${String(queued.statements)}`,
    );
    assert.equal(rig.engine.schedule.size, 0, 'and no timer');
  });

  it('R8 parked turns cost no timer, however many', async () => {
    await setUp('ask');
    rig.settings = { ...rig.settings, holdMs: 0 };
    for (let n = 0; n < 30; n++) {
      const id = n === 0 ? session : await rig.session('ask');
      await rig.send(id, 'go');
      await answer(['c1', 'gated']);
      await rig.quiet();
    }
    assert.equal(rig.snapshot.needs.length, 30);
    assert.equal(rig.engine.schedule.size, 0);
  });
});
