import assert from 'node:assert/strict';
import type { CallResult } from '../../host/engine/ports';
import { QUESTIONS_A_CALL, STEPS_A_CALL, type SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

describe('steps of a call', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('ask');
    await rig.send(session, 'go');
    await rig.quiet();
    rig.answers[0]?.give({ calls: [plannedCall('c1', 'gated')] });
    await rig.quiet();
    await allow('c1');
  });
  afterEach(() => rig.close());

  const needs = () =>
    rig.snapshot.needs.flatMap((need) =>
      need.kind === 'approval'
        ? [{ call: need.approval.call, parent: need.approval.parent, handle: need.approval.handle }]
        : [],
    );
  const same = () =>
    assert.deepEqual(rig.snapshot.needs, rig.readSnapshot().needs, 'A9: by events and by listing');
  async function allow(call: string, decision: 'allow' | 'deny' = 'allow') {
    const need = rig.snapshot.needs.find((one) => one.kind === 'approval' && one.approval.call === call);
    assert.ok(need?.kind === 'approval', `no request of ${call}`);
    await rig.engine.verdict({
      approval: need.approval.id,
      request: need.approval.request,
      decision,
      reason: decision === 'deny' ? 'no' : undefined,
      scope: 'once',
      by: 'one',
    });
    await rig.quiet();
  }
  /** Makes a step from inside the running call, and follows its result. */
  const step = async (tool: string, args: object = {}) => {
    const made: { result: CallResult | undefined } = { result: undefined };
    void rig.runs[0]?.steps.call(tool, JSON.stringify(args)).then((result) => (made.result = result));
    await rig.quiet();
    return made;
  };

  it('A8 a step is listed under its call, runs once allowed, and gives its result to the call', async () => {
    const made = await step('gated', { n: 1 });
    assert.deepEqual(needs(), [{ call: 'c1.1', parent: 'c1', handle: undefined }]);
    same();
    assert.equal(rig.runs.length, 1, 'it has not started');
    await allow('c1.1');
    rig.runs[1]?.finish({ value: 1 });
    await rig.quiet();
    assert.deepEqual(made.result?.output, { value: 1 });
    assert.deepEqual(needs(), []);
    assert.equal(rig.answers.length, 0, 'the call goes on, and the turn with it');
  });

  it('A8 a free step runs without asking, and a denied one tells its reason', async () => {
    const free = await step('free');
    rig.runs[1]?.finish({ value: 'read' });
    await rig.quiet();
    assert.deepEqual(free.result?.output, { value: 'read' });
    const gated = await step('gated');
    await allow('c1.2', 'deny');
    assert.deepEqual(gated.result?.output, { error: 'approval_denied', detail: 'no' });
    const unknown = await step('unknown');
    assert.equal(unknown.result?.output['error'], 'tool_unknown');
    const own = await step('wait', { handles: ['proc:1'] });
    assert.equal(own.result?.output['error'], 'tool_failed');
  });

  it('A8 A9 once the call is lifted its steps are listed under its handle, asked before and after, past the turn’s end', async () => {
    const before = await step('gated', { n: 1 });
    await rig.send(session, 'what are you doing');
    await rig.advance(250);
    assert.deepEqual(needs(), [{ call: 'c1.1', parent: 'c1', handle: 'proc:1' }]);
    same();
    rig.answers[0]?.give({ text: 'It runs a script.' });
    await rig.quiet();
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
    const after = await step('gated', { n: 2 });
    assert.deepEqual(needs(), [
      { call: 'c1.1', parent: 'c1', handle: 'proc:1' },
      { call: 'c1.2', parent: 'c1', handle: 'proc:1' },
    ]);
    same();
    await allow('c1.1');
    rig.runs[1]?.finish({ value: 1 });
    await rig.quiet();
    assert.deepEqual(before.result?.output, { value: 1 });
    await allow('c1.2', 'deny');
    assert.equal(after.result?.output['error'], 'approval_denied');
    assert.equal(rig.snapshot.handles[0]?.state, 'running', 'its steps’ verdicts end nothing of the handle');
  });

  it('R10 A8 a call puts only so many questions at a time, and no more steps of any kind than it may make', async () => {
    const steps = rig.runs[0]?.steps;
    assert.ok(steps);
    const gone = new AbortController();
    const answers = new Array<CallResult>();
    const ask = (signal: AbortSignal) => {
      void steps.ask('server: Who?', {}, signal).then((result) => answers.push(result));
    };
    for (let n = 0; n < QUESTIONS_A_CALL; n++) ask(gone.signal);
    await rig.quiet();
    assert.equal(answers.length, 0);
    ask(gone.signal);
    await rig.quiet();
    assert.deepEqual(
      answers.map(({ output }) => output['error']),
      ['output_limit'],
    );
    gone.abort();
    await rig.quiet();
    assert.equal(answers.length, QUESTIONS_A_CALL + 1);
    for (let n = QUESTIONS_A_CALL; n < STEPS_A_CALL - 1; n++) await steps.call('unknown', '{}');
    const still = new AbortController();
    ask(still.signal);
    await rig.quiet();
    assert.equal(answers.length, QUESTIONS_A_CALL + 1, 'the last one that it may make is open');
    ask(still.signal);
    await rig.quiet();
    assert.match(String(answers.at(-1)?.output['detail']), /at most 10000 steps/);
  });

  it('A8 R5 steps end with their call: what has not started has not run', async () => {
    const made = await step('gated');
    rig.runs[0]?.finish();
    await rig.quiet();
    assert.deepEqual(needs(), []);
    same();
    assert.equal(made.result?.output['error'], 'withdrawn');
    const open = rig.ledger
      .look((tables) => tables.auditPage({}, undefined, 10))
      .filter((entry) => entry.endedAt === undefined);
    assert.deepEqual(open, []);
  });

  it('R3 after a crash the steps of a lost call are withdrawn', async () => {
    await step('gated');
    await rig.crash();
    assert.deepEqual(needs(), []);
    same();
    assert.equal(rig.snapshot.sessions[0]?.ended?.code, 'host_lost');
  });

  it('P4 a pause ends the call and its steps, and an allow given meanwhile starts nothing', async () => {
    const made = await step('gated');
    const need = rig.snapshot.needs[0];
    assert.ok(need?.kind === 'approval');
    await rig.engine.pull('one', undefined);
    await rig.quiet();
    assert.equal(made.result?.failed, true);
    await assert.rejects(
      rig.engine.verdict({
        approval: need.approval.id,
        request: 1,
        decision: 'allow',
        reason: undefined,
        scope: 'once',
        by: 'one',
      }),
      (error: { code?: string }) => error.code === 'approval_withdrawn',
    );
    assert.equal(rig.begun.filter((one) => one.startsWith('run ')).length, 1);
  });
});
