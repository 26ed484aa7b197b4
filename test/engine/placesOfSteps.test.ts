import assert from 'node:assert/strict';
import type { CallResult, Steps } from '../../host/engine/ports';
import { PLACES, PLACES_A_SERVER, type SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

describe('places and halts of steps', () => {
  let rig: Rig;
  let session: SessionId;
  let steps: Steps;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('full');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
    await rig.quiet();
    const run = rig.runs[0];
    assert.ok(run !== undefined);
    steps = run.steps;
  });
  afterEach(() => rig.close());

  const make = (count: number, tool: string): Promise<CallResult>[] =>
    Array.from({ length: count }, (_, n) => steps.call(tool, JSON.stringify({ n })));
  const running = () => rig.runs.filter((run) => run.call !== 'c1').map((run) => run.call);
  const begun = () => rig.begun.filter((one) => one.includes('/c1.'));

  it('S5 steps run side by side up to the places in all; who waits starts when one ends, in order', async () => {
    const made = make(PLACES + 3, 'free');
    await rig.quiet();
    assert.equal(running().length, PLACES);
    assert.equal(begun().length, PLACES);
    rig.runs.find((run) => run.call === 'c1.5')?.finish({ value: 5 });
    await rig.quiet();
    assert.deepEqual((await made[4])?.output, { value: 5 });
    assert.equal(running().at(-1), `c1.${PLACES + 1}`);
    for (let run = rig.runs[1]; run !== undefined; run = rig.runs[1]) {
      run.finish({ value: 0 });
      await rig.quiet();
    }
    await Promise.all(made);
    assert.equal(begun().length, PLACES + 3);
  });

  it('S5 toward one server there are fewer places, and others need not wait for them', async () => {
    void make(PLACES_A_SERVER + 2, 'remote');
    void make(2, 'free');
    await rig.quiet();
    assert.deepEqual(running(), ['c1.1', 'c1.2', 'c1.3', 'c1.4', 'c1.7', 'c1.8']);
    rig.runs[1]?.finish();
    await rig.quiet();
    assert.equal(running().at(-1), 'c1.5');
  });

  it('S5 a step that waits for a verdict holds no place', async () => {
    await rig.engine.changeSession(session, { mode: 'ask' });
    void make(PLACES + 1, 'gated');
    await rig.quiet();
    assert.equal(rig.snapshot.needs.length, PLACES + 1);
    void make(PLACES, 'free');
    await rig.quiet();
    assert.equal(running().length, PLACES);
  });

  it('S2 P3 what waits for a place when its call is halted never leaves, and is refused by name', async () => {
    const made = make(PLACES + 1, 'free');
    await rig.quiet();
    const halted = steps.halt('cancelled');
    await rig.quiet();
    await halted;
    const last = await made[PLACES];
    assert.deepEqual(last?.output, { error: 'stopped', detail: 'tools.free refused: its turn ended' });
    assert.equal(begun().length, PLACES, 'places that became free gave it none');
    assert.deepEqual((await made[0])?.output['error'], 'cancelled', 'what ran was told to stop');
  });

  it('S2 a halt between a verdict and the start keeps the step from leaving', async () => {
    await rig.engine.changeSession(session, { mode: 'ask' });
    const [made] = make(1, 'gated');
    await rig.quiet();
    const need = rig.snapshot.needs[0];
    assert.ok(need?.kind === 'approval');
    const verdict = rig.engine.verdict({
      approval: need.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'one',
    });
    const halted = steps.halt('cancelled');
    await verdict;
    await rig.quiet();
    await halted;
    assert.match(String((await made)?.output['detail']), /tools\.gated refused: its turn ended/);
    assert.deepEqual(begun(), []);
  });

  it('S2 after a halt no call is even looked at', async () => {
    await steps.halt('cancelled');
    assert.deepEqual((await steps.call('free', '{}')).output, {
      error: 'stopped',
      detail: 'tools.free refused: its turn ended',
    });
    await rig.quiet();
    assert.deepEqual(begun(), []);
  });

  it('P3 S2 a pull while steps wait for a place starts none of them, then or after the release', async () => {
    const made = make(PLACES + 5, 'free');
    await rig.quiet();
    const pulled = rig.engine.pull('one', undefined);
    await rig.quiet();
    await pulled;
    await rig.engine.release('one');
    await rig.quiet();
    const results = await Promise.all(made);
    assert.equal(begun().length, PLACES);
    assert.ok(results.every((result) => result.failed));
  });

  it('D6 one step costs two commits, and steps of one moment share theirs', async () => {
    const commits = () => rig.opened.store.stats().commits;
    const before = commits();
    const [one] = make(1, 'free');
    await rig.quiet();
    rig.runs[1]?.finish({ value: 1 });
    await rig.quiet();
    await one;
    assert.equal(commits() - before, 2, 'its plan with its start, and its result');
    const start = commits();
    void make(PLACES, 'free');
    await rig.quiet();
    assert.equal(commits() - start, 1);
    for (const run of rig.runs.slice(1)) run.finish({ value: 1 });
    await rig.quiet();
    assert.equal(commits() - start, 2);
  });

  it('A4 a step that fails makes no call of its turn’s round be asked again', async () => {
    rig.runs[0]?.finish();
    await rig.quiet();
    await rig.engine.changeSession(session, { mode: 'ask' });
    rig.answers[0]?.give({ calls: [plannedCall('d1', 'gated'), plannedCall('d2', 'gated')] });
    await rig.quiet();
    const allow = (call: string) => {
      const need = rig.snapshot.needs.find((one) => one.kind === 'approval' && one.approval.call === call);
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
    await allow('d1');
    await rig.quiet();
    await rig.engine.addRule({
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'tool', tool: 'free' },
      by: 'one',
    });
    const denied = rig.runs[0]?.steps.call('free', '{}');
    await rig.quiet();
    assert.equal((await denied)?.output['error'], 'approval_denied');
    const later = rig.snapshot.needs.find((one) => one.kind === 'approval' && one.approval.call === 'd2');
    assert.equal(later?.kind === 'approval' ? later.approval.request : undefined, 1);
  });
});
