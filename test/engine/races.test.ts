import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PlannedCall, SessionId } from '../../protocol';
import { RequestError } from '../../host/engine/errors';
import { StoreMisuse } from '../../host/store/errors';
import { plannedCall, Rig } from './rig';

/** One thing that happens; `settle` says whether everything else comes to rest before the next one does. */
interface Step {
  readonly act: (typeof ACTS)[number];
  readonly pick: number;
  readonly settle: boolean;
}

const ACTS = [
  'steer',
  'queue',
  'answer_text',
  'answer_calls',
  'answer_calls',
  'fail_model',
  'allow',
  'allow',
  'deny',
  'two_verdicts',
  'answer_question',
  'client_comes',
  'client_goes',
  'client_answers',
  'finish_run',
  'finish_run',
  'stop_handle',
  'pull',
  'release',
  'grace',
  'hold',
  'long',
  'interrupt',
  'continue',
  'prune',
  'crash',
] as const;

const ROUNDS: readonly ((n: number) => PlannedCall[])[] = [
  (n) => [plannedCall(`c${n}`, 'gated')],
  (n) => [plannedCall(`c${n}`, 'gated'), plannedCall(`d${n}`, 'gated')],
  (n) => [plannedCall(`c${n}`, 'free'), plannedCall(`d${n}`, 'free'), plannedCall(`e${n}`, 'gated')],
  (n) => [plannedCall(`c${n}`, 'ask', { question: 'q' })],
  (n) => [
    plannedCall(`c${n}`, 'gated', { background: true }),
    plannedCall(`d${n}`, 'wait', { handles: ['proc:1', 'proc:2'] }),
  ],
  (n) => [
    plannedCall(`c${n}`, 'write_stdin', { handle: 'proc:1', kill: true }),
    plannedCall(`d${n}`, 'note', { text: 'x' }),
  ],
  (n) => [plannedCall(`c${n}`, 'unknown'), plannedCall(`d${n}`, 'gated')],
  (n) => [plannedCall(`c${n}`, 'served'), plannedCall(`d${n}`, 'pick'), plannedCall(`e${n}`, 'gated_client')],
  (n) => [plannedCall(`c${n}`, 'gated_client'), plannedCall(`d${n}`, 'gated')],
  // The same id in every turn (L13).
  () => [plannedCall('same', 'gated')],
];

const SERVED = ['served', 'pick', 'gated_client'] as const;

const steps = fc.array(fc.record({ act: fc.constantFrom(...ACTS), pick: fc.nat(50), settle: fc.boolean() }), {
  minLength: 4,
  maxLength: 24,
});

class Play {
  n = 0;
  begunAtPull: number | undefined;
  constructor(
    readonly rig: Rig,
    readonly session: SessionId,
  ) {}

  async act({ act, pick }: Step): Promise<void> {
    const { rig, session } = this;
    const { engine, snapshot } = rig;
    const approvals = snapshot.needs.flatMap((need) => (need.kind === 'approval' ? [need.approval] : []));
    const questions = snapshot.needs.flatMap((need) => (need.kind === 'question' ? [need.question] : []));
    const some = <T>(list: readonly T[]): T | undefined => list[pick % Math.max(1, list.length)];
    const approval = some(approvals);
    const verdict = (decision: 'allow' | 'deny', by: string) =>
      approval === undefined
        ? Promise.resolve()
        : engine.verdict({
            approval: approval.id,
            request: approval.request,
            decision,
            reason: undefined,
            scope: 'once',
            by,
          });
    switch (act) {
      case 'steer':
      case 'queue':
        await rig.send(session, `message ${String(++this.n)}`, act);
        return;
      case 'answer_text':
        some(rig.answers)?.give({ text: 'done' });
        return;
      case 'answer_calls':
        some(rig.answers)?.give({ text: 'calls', calls: some(ROUNDS)?.(++this.n) ?? [] });
        return;
      case 'fail_model':
        some(rig.answers)?.fail();
        return;
      case 'allow':
        await verdict('allow', 'one');
        return;
      case 'deny':
        await verdict('deny', 'one');
        return;
      case 'two_verdicts': {
        const both = await Promise.allSettled([verdict('allow', 'one'), verdict('deny', 'two')]);
        if (approval !== undefined)
          assert.ok(both.filter((one) => one.status === 'fulfilled').length <= 1, 'two verdicts were taken');
        return;
      }
      case 'answer_question': {
        const question = some(questions);
        if (question !== undefined) await engine.answer(question.id, { text: 'yes' }, 'one');
        return;
      }
      case 'finish_run':
        some(rig.runs)?.finish();
        return;
      case 'client_comes':
        for (const tool of SERVED) rig.clients.come(tool, `w${String(pick % 2)}`);
        return;
      case 'client_goes':
        rig.clients.go(some(SERVED) ?? 'served');
        return;
      case 'client_answers':
        some(rig.clients.pending)?.answer({ text: 'served' });
        return;
      case 'stop_handle': {
        const handle = some(snapshot.handles);
        if (handle !== undefined) await engine.stopHandle(handle.id);
        return;
      }
      case 'pull':
        await engine.pull('one', undefined);
        this.begunAtPull ??= rig.begun.length;
        return;
      case 'release':
        this.begunAtPull = undefined;
        await engine.release('one');
        return;
      case 'grace':
        rig.clock.advance(250);
        return;
      case 'hold':
        rig.clock.advance(2_000);
        return;
      case 'long':
        rig.clock.advance(60_000);
        return;
      case 'interrupt': {
        const turn = snapshot.sessions[0]?.turn;
        if (turn !== undefined) await engine.interrupt(session, turn);
        return;
      }
      case 'continue':
        await engine.continueSession(session);
        return;
      case 'prune':
        await engine.prune(1, undefined);
        return;
      case 'crash':
        await rig.crash();
        return;
    }
  }

  /** What must hold whenever everything is at rest. */
  check(): void {
    const { rig } = this;
    assert.deepEqual(rig.violations, []);
    const read = rig.readSnapshot();
    const folded = rig.snapshot;
    assert.deepEqual(folded.needs, read.needs, 'A9: needs by events and by listing');
    assert.deepEqual(folded.unread, read.unread, 'unread by events and by listing');
    assert.deepEqual(folded.handles, read.handles, 'handles by events and by listing');
    assert.deepEqual(
      folded.sessions.map(({ state, turn, ended }) => ({ state, turn, ended })),
      read.sessions.map(({ state, turn, ended }) => ({ state, turn, ended })),
      'sessions by events and by listing',
    );
    if (this.begunAtPull !== undefined)
      assert.equal(rig.begun.length, this.begunAtPull, 'P1: something began after the pause had answered');
    const runs = rig.begun.filter((one) => one.startsWith('run '));
    assert.equal(new Set(runs).size, runs.length, 'R3: a call ran twice');
    this.checkEnds();
  }

  /** R5: whatever has ended did so once, and what belongs to an ended turn has ended or has a handle. */
  private checkEnds(): void {
    const ends = new Map<string, number>();
    const planned = new Map<string, string[]>();
    const settled = new Set<string>();
    const count = (key: string) => ends.set(key, (ends.get(key) ?? 0) + 1);
    const ended = new Set<string>();
    for (const event of this.rig.events) {
      const turn = event.turn ?? '';
      switch (event.type) {
        case 'turn_ended':
          count(`turn ${turn}`);
          ended.add(turn);
          break;
        case 'handle_ended':
          count(`handle ${event.data.handle}`);
          break;
        case 'tool_completed':
        case 'call_lifted':
          count(`call ${turn}/${event.data.call_id}`);
          settled.add(`${turn}/${event.data.call_id}`);
          break;
        case 'calls_planned':
          planned.set(turn, [
            ...(planned.get(turn) ?? []),
            ...event.data.calls.map((call) => `${turn}/${call.call_id}`),
          ]);
          break;
        default:
      }
    }
    for (const [what, times] of ends) assert.equal(times, 1, `${what} ended ${String(times)} times`);
    for (const turn of ended)
      for (const call of planned.get(turn) ?? []) assert.ok(settled.has(call), `R5: ${call} has no end`);
    for (const need of this.rig.snapshot.needs) {
      const request = need.kind === 'approval' ? need.approval : need.question;
      assert.ok(
        !ended.has(request.turn) || request.handle !== undefined,
        `${request.id} outlived its turn without a handle`,
      );
    }
  }

  /** Everything can be brought to an end by the person, the tools and the model alone. */
  async finish(): Promise<void> {
    const { rig } = this;
    this.begunAtPull = undefined;
    await rig.engine.release('end');
    for (let round = 0; round < 60; round++) {
      await rig.advance(60_000);
      const { needs, handles, sessions } = rig.snapshot;
      const open = handles.some((handle) => handle.state !== 'ended');
      if (needs.length === 0 && !open && sessions.every((session) => session.state === 'idle')) break;
      for (const need of needs) {
        if (need.kind === 'approval')
          await rig.engine
            .verdict({
              approval: need.approval.id,
              request: need.approval.request,
              decision: 'deny',
              reason: undefined,
              scope: 'once',
              by: 'end',
            })
            .catch(() => undefined);
        else await rig.engine.answer(need.question.id, { text: 'end' }, 'end').catch(() => undefined);
      }
      for (const run of [...rig.runs]) run.finish();
      for (const answer of [...rig.answers]) answer.give({ text: 'end' });
      await rig.quiet();
    }
    this.check();
    const { sessions, needs, handles } = rig.snapshot;
    assert.deepEqual(
      sessions.map((session) => session.state),
      ['idle'],
      'the session comes to rest',
    );
    assert.deepEqual(needs, []);
    assert.deepEqual(
      handles.filter((handle) => handle.state !== 'ended'),
      [],
    );
    const entries = rig.ledger.look((tables) => tables.auditPage({}, undefined, 1000));
    assert.deepEqual(
      entries.filter((entry) => entry.endedAt === undefined),
      [],
      'L12: every audit entry is closed',
    );
  }
}

/** A refusal is an answer; and what a host had been asked before its crash gets none. */
const refusals = (error: unknown) => {
  if (!(error instanceof RequestError) && !(error instanceof StoreMisuse)) throw error;
};

async function run(play: Play, script: readonly Step[]): Promise<void> {
  const unanswered = new Set<string>();
  const failures: unknown[] = [];
  const rest = async () => {
    await play.rig.quiet();
    if (failures.length > 0) throw failures[0];
    // Nothing but the clock could still move it, and no request waits for the clock.
    assert.deepEqual([...unanswered], [], 'requests that got no answer');
    play.check();
  };
  for (const [n, step] of script.entries()) {
    const name = `${String(n)} ${step.act}`;
    if (step.act === 'crash') unanswered.clear();
    unanswered.add(name);
    void play
      .act(step)
      .catch(refusals)
      .catch((error: unknown) => failures.push(error))
      .finally(() => unanswered.delete(name));
    // A crash, a pull and a release are waited for: what follows depends on their answer.
    if (step.settle || step.act === 'crash' || step.act === 'pull' || step.act === 'release') await rest();
  }
  await rest();
  await play.finish();
}

describe('races of everything that can happen', function () {
  this.timeout(300_000);

  it('A9 R3 R5 L9 L12 P1: any order of messages, verdicts, ends, pauses, stops and crashes keeps every promise', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (script, free) => {
        const rig = await new Rig().open();
        try {
          const session = await rig.session(free ? 'full' : 'ask');
          const play = new Play(rig, session);
          await rig.send(session, 'begin');
          await rig.quiet();
          await run(play, script);
        } finally {
          await rig.close();
        }
      }),
      { numRuns: Number(process.env['BELAY_RACES'] ?? 100), endOnFailure: false },
    );
  });
});
