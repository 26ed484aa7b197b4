import assert from 'node:assert/strict';
import { SECRET_STORED, type SessionId } from '../../protocol';
import { plannedCall, Rig } from './rig';

const GRACE_MS = 30_000;

describe('calls that a client answers', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('ask');
    await rig.send(session, 'go');
    await rig.quiet();
  });
  afterEach(() => rig.close());

  async function plan(...calls: [string, string, object?][]) {
    rig.answers[0]?.give({ calls: calls.map(([id, tool, args]) => plannedCall(id, tool, args)) });
    await rig.quiet();
  }
  const result = (call: string) =>
    rig.events.flatMap((event) =>
      event.type === 'tool_completed' && event.data.call_id === call ? [event.data.result] : [],
    )[0];
  const types = () => rig.events.map((event) => event.type);
  const open = () => rig.ledger.look((tables) => tables.openQuestions());
  const delivery = () => {
    const one = rig.clients.pending[0];
    assert.ok(one !== undefined, 'nothing was delivered');
    return one;
  };

  it('C2 is written before it is handed over, with its owner, and its answer goes to the model', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served', { path: 'a' }]);
    assert.equal(open()[0]?.owner, 'w1');
    assert.deepEqual(types().slice(-2), ['question_asked', 'question_taken']);
    const { owner, request } = delivery();
    assert.deepEqual(
      [owner, request.tool, request.args, request.attempt],
      ['w1', 'served', { path: 'a' }, 1],
    );
    assert.equal(request.folder, rig.dir);
    delivery().answer({ text: '3 problems' });
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: '3 problems' });
    assert.equal(rig.answers.length, 1);
  });

  it('C1 one that needs no person is in no list of what waits for one', async () => {
    await plan(['c', 'served'], ['d', 'pick']);
    assert.deepEqual(rig.snapshot.needs, []);
    assert.deepEqual(rig.readSnapshot().needs, []);
    assert.equal(open().length, 1);
  });

  it('C2 with no owner it ends unserved after the grace, and not before', async () => {
    await rig.advance(GRACE_MS);
    rig.clients.come('served', 'w1');
    rig.clients.go('served');
    await rig.advance(10_000);
    await plan(['c', 'served']);
    await rig.advance(GRACE_MS - 10_001);
    assert.equal(result('c'), undefined);
    await rig.advance(1);
    const { error, detail } = result('c') as { error: string; detail: string };
    assert.deepEqual([error, detail.includes('has not run')], ['unserved', true]);
    assert.ok(rig.events.some((event) => event.type === 'question_closed' && event.data.fate === 'unserved'));
    assert.equal(rig.answers.length, 1, 'the turn goes on');
  });

  it('C2 one that needs a person waits however long no owner is there', async () => {
    await plan(['c', 'pick']);
    await rig.advance(24 * 60 * 60 * 1000);
    assert.equal(rig.snapshot.needs.length, 1);
    rig.clients.come('pick', 'w1');
    await rig.quiet();
    assert.equal(delivery().owner, 'w1');
  });

  it('C2 an owner that vanishes for less than the grace gets it again, as the next attempt', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    rig.clients.go('served');
    await rig.quiet();
    assert.equal(open()[0]?.owner, undefined);
    await rig.advance(GRACE_MS - 1);
    rig.clients.come('served', 'w1');
    await rig.quiet();
    assert.equal(delivery().request.attempt, 2);
    delivery().answer({ text: 'ok' });
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: 'ok' });
    assert.equal(types().filter((type) => type === 'question_released').length, 1);
  });

  it('C2 with two clients the newest serves, and when it goes the other one does', async () => {
    rig.clients.come('served', 'w1');
    rig.clients.come('served', 'w2');
    await plan(['c', 'served']);
    const first = delivery();
    assert.equal(first.owner, 'w2');
    rig.clients.come('served', 'w1');
    await rig.quiet();
    assert.equal(rig.clients.pending.length, 1, 'what is taken stays with its client');
    first.vanish();
    await rig.quiet();
    assert.equal(delivery().owner, 'w1');
  });

  it('C2 R3 the row outlives a crash: it is released, and handed to whoever registers then', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    await rig.crash();
    assert.equal(open()[0]?.owner, undefined);
    assert.equal(rig.clients.pending.length, 0);
    await rig.advance(GRACE_MS - 1);
    rig.clients.come('served', 'w1');
    await rig.quiet();
    assert.equal(delivery().request.attempt, 2);
    delivery().answer({ text: 'after the crash' });
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: 'after the crash' });
  });

  it('C2 after a restart in which nobody registers it ends unserved after the grace', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    await rig.crash();
    await rig.advance(GRACE_MS);
    assert.equal((result('c') as { error: string }).error, 'unserved');
  });

  it('R3 T5 one that a client had when its turn was interrupted is of unknown outcome', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    const [turn] = rig.ledger.look((tables) => tables.turnsByStatus('running'));
    assert.ok(turn !== undefined);
    await rig.engine.interrupt(turn.session, turn.id);
    await rig.quiet();
    assert.deepEqual(
      rig.events.flatMap((event) =>
        event.type === 'tool_completed' ? [(event.data.result as { error: string }).error] : [],
      ),
      ['outcome_unknown'],
    );
  });

  it('L11 R3 nor is one said not to have run that is stopped after its client has gone with it', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    await rig.send(session, 'wait');
    await rig.advance(250);
    rig.clients.go('served');
    await rig.quiet();
    const [handle] = rig.snapshot.handles;
    assert.ok(handle !== undefined);
    assert.deepEqual(await rig.engine.stopHandle(handle.id), { stopped: true, ran: true, survivors: [] });
  });

  it('R9 an answer after the end is dropped, and whoever has it is called off', async () => {
    rig.clients.come('pick', 'w1');
    await plan(['c', 'pick']);
    const late = delivery();
    await rig.engine.answer(open()[0]!.id, { text: 'by hand' }, 'you');
    await rig.quiet();
    assert.ok(late.signal.aborted);
    late.answer({ text: 'too late' });
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: 'by hand' });
    assert.equal(types().filter((type) => type === 'question_answered').length, 1);
  });

  it('R11 a client that gives no answer in its time is called off, and the model reads timed_out', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    const { signal } = delivery();
    await rig.advance(60_000);
    assert.equal((result('c') as { error: string }).error, 'timed_out');
    assert.ok(signal.aborted);
  });

  it('A1 a tool that may change something asks first, and is handed over once it was allowed', async () => {
    rig.clients.come('gated_client', 'w1');
    await plan(['c', 'gated_client']);
    assert.equal(rig.clients.pending.length, 0);
    const [need] = rig.snapshot.needs;
    assert.ok(need?.kind === 'approval');
    await rig.engine.verdict({
      approval: need.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'you',
    });
    await rig.quiet();
    delivery().answer({ text: 'done' });
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: 'done' });
  });

  it('L1 L6 a message lifts it; it is served past the end of its turn, and told as the end of its handle', async () => {
    await plan(['c', 'pick']);
    await rig.send(session, 'never mind');
    await rig.advance(250);
    assert.ok(types().includes('call_lifted'));
    rig.answers[0]?.give({ text: 'fine' });
    await rig.quiet();
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
    const [need] = rig.snapshot.needs;
    assert.ok(need?.kind === 'question');
    assert.equal(need.question.handle, 'proc:1');
    rig.clients.come('pick', 'w1');
    await rig.quiet();
    delivery().answer({ text: '/w/a.ts' });
    await rig.quiet();
    const ended = rig.events.filter((event) => event.type === 'lifted_ended');
    assert.deepEqual(
      ended.map((event) => event.type === 'lifted_ended' && [event.data.outcome, event.data.result]),
      [['answered', { answer: '/w/a.ts' }]],
    );
    const note = rig.events.find((event) => event.type === 'note_told');
    assert.match(note?.type === 'note_told' ? note.data.text : '', /answered]\n.*\/w\/a\.ts/s);
  });

  it('L7 L9 an allowed lifted one waits on for its answer, and only that ends its handle', async () => {
    rig.clients.come('gated_client', 'w1');
    await plan(['c', 'gated_client']);
    await rig.send(session, 'go on');
    await rig.advance(250);
    rig.answers[0]?.give({ text: 'fine' });
    await rig.quiet();
    const [need] = rig.snapshot.needs;
    assert.ok(need?.kind === 'approval' && need.approval.handle === 'proc:1');
    await rig.engine.verdict({
      approval: need.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'you',
    });
    await rig.quiet();
    const outcomes = () =>
      rig.events.flatMap((event) =>
        event.type === 'lifted_ended' ? [[event.data.outcome, event.data.waits_for]] : [],
      );
    assert.deepEqual(outcomes(), [['allowed', 'answer']]);
    assert.deepEqual(rig.snapshot.handles[0]?.state, 'waiting');
    assert.ok(!types().includes('tool_started'));
    delivery().answer({ text: 'deployed' });
    await rig.quiet();
    assert.deepEqual(outcomes(), [
      ['allowed', 'answer'],
      ['answered', undefined],
    ]);
    assert.equal(rig.events.filter((event) => event.type === 'handle_ended').length, 1);
  });

  it('L11 killing the handle of one that its client had taken stops it: ran is true', async () => {
    rig.clients.come('pick', 'w1');
    await plan(['c', 'pick']);
    await rig.send(session, 'stop that');
    await rig.advance(250);
    const { signal } = delivery();
    const handle = rig.snapshot.handles[0]!.id;
    assert.deepEqual(await rig.engine.stopHandle(handle), { stopped: true, ran: true, survivors: [] });
    await rig.quiet();
    assert.ok(signal.aborted);
    assert.deepEqual(await rig.engine.stopHandle(handle), { stopped: true, ran: true, survivors: [] });
  });

  it('P1 P5 while the cord is pulled nothing is handed over; after release it is', async () => {
    await plan(['c', 'pick']);
    await rig.engine.pull('you', undefined);
    rig.clients.come('pick', 'w1');
    await rig.quiet();
    assert.equal(rig.clients.pending.length, 0);
    assert.equal(rig.snapshot.needs.length, 1);
    await rig.engine.release('you');
    await rig.quiet();
    assert.equal(delivery().owner, 'w1');
  });

  it('P4 P5 a pause ends what a client does by itself, and lets go on what asks a person', async () => {
    rig.clients.come('served', 'w1');
    await plan(['c', 'served']);
    const { signal } = delivery();
    const pulled = await rig.engine.pull('you', undefined);
    await rig.quiet();
    assert.deepEqual(
      pulled.ended.map((one) => one.id),
      ['c'],
    );
    assert.ok(signal.aborted);
    assert.equal((result('c') as { error: string }).error, 'host_paused');
    await rig.engine.release('you');
    await rig.quiet();
    assert.equal(rig.clients.pending.length, 0, 'it is not run again');
    rig.clients.come('pick', 'w1');
    await plan(['d', 'pick']);
    const asked = delivery();
    await rig.engine.pull('you', undefined);
    await rig.quiet();
    assert.ok(!asked.signal.aborted);
    asked.answer({ text: 'meanwhile' });
    await rig.quiet();
    assert.deepEqual(result('d'), { answer: 'meanwhile' });
  });

  it('P5 the grace does not end while the cord is pulled', async () => {
    rig.clients.come('served', 'w1');
    rig.clients.go('served');
    await plan(['c', 'served']);
    await rig.engine.pull('you', undefined);
    await rig.advance(GRACE_MS * 2);
    assert.equal(result('c'), undefined);
  });

  it('C1 the value of a secret is in no event, no row and no message to the model', async () => {
    await plan(['c', 'secret', { name: 'TOKEN' }]);
    await rig.engine.answer(open()[0]!.id, { text: 'hunter2' }, 'you');
    await rig.quiet();
    assert.ok(!JSON.stringify(rig.events).includes('hunter2'));
    assert.ok(!JSON.stringify(rig.answers[0]?.items).includes('hunter2'));
    assert.match(JSON.stringify(result('c')), /"error":"tool_failed"/, 'nobody has stored it');
  });

  it('C1 only the client that stored a secret says so', async () => {
    await plan(['c', 'secret', { name: 'TOKEN' }]);
    await rig.engine.answer(open()[0]!.id, { text: SECRET_STORED }, 'you');
    await rig.quiet();
    assert.deepEqual(result('c'), { answer: 'The person has stored it.' });
  });

  it('A8 a step may be one: it is listed under its call, and its answer goes back into it', async () => {
    await plan(['p', 'gated']);
    const [need] = rig.snapshot.needs;
    assert.ok(need?.kind === 'approval');
    await rig.engine.verdict({
      approval: need.approval.id,
      request: 1,
      decision: 'allow',
      reason: undefined,
      scope: 'once',
      by: 'you',
    });
    await rig.quiet();
    const step = rig.runs[0]!.steps.call('pick', '{}');
    await rig.quiet();
    const [asked] = rig.snapshot.needs;
    assert.ok(asked?.kind === 'question' && asked.question.parent === 'p');
    rig.clients.come('pick', 'w1');
    await rig.quiet();
    delivery().answer({ text: 'a step’s answer' });
    assert.deepEqual((await step).output, { answer: 'a step’s answer' });
  });

  it('D6 asking and handing over are one commit', async () => {
    rig.clients.come('served', 'w1');
    const before = rig.opened.store.stats().commits;
    await plan(['c', 'served']);
    assert.equal(rig.opened.store.stats().commits - before, 1);
  });
});
