import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acknowledgement, type SessionId } from '../../protocol';
import type { AgentReply, AgentTools, WaitPolicy } from '../../host/engine/ports';
import { Rig } from './rig';

const AGENT = { kind: 'harness', harness: 'rig' } as const;

/** A session of an outside agent with this policy, at work on its first turn. */
async function atWork(rig: Rig, waits: WaitPolicy, limitMs?: number): Promise<SessionId> {
  rig.agent.can = { ...rig.agent.can, waits, holdLimitMs: limitMs };
  const session = await rig.session('ask', AGENT);
  await rig.send(session, 'go');
  await rig.quiet();
  return session;
}

/** Resolves to what a reply is by now, without waiting for it. */
async function settled(reply: Promise<AgentReply>): Promise<AgentReply | 'open'> {
  return Promise.race([reply, new Promise<'open'>((resolve) => setImmediate(() => resolve('open')))]);
}

describe('client tools of an outside agent', () => {
  let rig: Rig;
  let session: SessionId;

  beforeEach(async () => {
    rig = await new Rig().open();
  });
  afterEach(() => rig.close());

  const tools = async (policy: WaitPolicy, limitMs?: number): Promise<AgentTools> => {
    session = await atWork(rig, policy, limitMs);
    return rig.agent.tools;
  };
  const caller = (callId?: string, abort = new AbortController()) => ({
    signal: abort.signal,
    ...(callId === undefined ? {} : { callId }),
  });
  const questions = () =>
    rig.snapshot.needs.flatMap((need) => (need.kind === 'question' ? [need.question] : []));
  const answerAll = async (text = 'yes') => {
    for (const question of questions()) await rig.engine.answer(question.id, { text }, 'you');
    await rig.quiet();
  };
  const answered = (text: string): AgentReply => ({
    kind: 'answered',
    result: { output: { answer: text }, failed: false },
  });

  it('C5 hold: the call stays open with progress, and gets its answer as it was given', async () => {
    const told: string[] = [];
    const made = await tools('hold');
    const reply = made.call(
      'ask',
      { question: 'Which?' },
      { ...caller('call_1'), onProgress: (text) => told.push(text) },
    );
    await rig.quiet();
    assert.equal(questions()[0]?.call, 'call_1');
    await rig.advance(60 * 60 * 1000);
    assert.equal(await settled(reply), 'open');
    assert.ok(told.length > 0);
    await answerAll('a\nb 🙂');
    assert.deepEqual(await reply, answered('a\nb 🙂'));
  });

  it('C7 H5 an id that can be none, or is too long, is told apart by order and ends nothing', async () => {
    const made = await tools('hold');
    const replies = [
      made.call('ask', { question: 'One?' }, caller('')),
      made.call('ask', { question: 'Two?' }, caller('x'.repeat(600))),
    ];
    await rig.quiet();
    assert.equal(questions().length, 2);
    await answerAll('yes');
    assert.deepEqual(await Promise.all(replies), [answered('yes'), answered('yes')]);
    const unwritable = await made.call('ask', { question: 1n }, caller('call_3'));
    assert.ok(unwritable.kind === 'answered' && unwritable.result.failed);
  });

  it('C6 a held call falls to acknowledge at the harness’s own limit less 10 s, and stays answerable', async () => {
    const made = await tools('hold', 300_000);
    const reply = made.call('ask', { question: 'Which?' }, caller('call_1'));
    await rig.quiet();
    await rig.advance(289_999);
    assert.equal(await settled(reply), 'open');
    await rig.advance(1);
    assert.deepEqual(await reply, { kind: 'acknowledged', text: acknowledgement('ask'), handle: 'proc:1' });
    assert.equal(questions()[0]?.handle, 'proc:1');
    await answerAll('later');
    const ends = rig.events.flatMap((event) =>
      event.type === 'lifted_ended' ? [[event.data.outcome, event.data.result]] : [],
    );
    assert.deepEqual(ends, [['answered', { answer: 'later' }]]);
  });

  it('C6 the channel’s own limit counts as well: the shorter of the two', async () => {
    const made = await tools('hold', 300_000);
    const reply = made.call('ask', { question: 'q' }, { ...caller('c'), limitMs: 60_000 });
    await rig.quiet();
    await rig.advance(50_000);
    assert.equal((await reply).kind, 'acknowledged');
  });

  it('C5 acknowledge: a neutral text that names the tool and forbids a retry; its answer opens the next turn', async () => {
    const reply = await (await tools('acknowledge')).call('ask', { question: 'Which?' }, caller('call_1'));
    assert.ok(reply.kind === 'acknowledged');
    assert.match(reply.text, /^ask: the person has been asked in the editor and will answer there\./);
    assert.match(reply.text, /do not retry/);
    await rig.agent.end();
    await rig.quiet();
    assert.equal(rig.snapshot.sessions[0]?.state, 'idle');
    await answerAll('postgres');
    assert.equal(rig.snapshot.sessions[0]?.state, 'running', 'L10 the idle session is woken');
    assert.equal(rig.agent.prompts.length, 2);
    assert.match(rig.agent.prompts[1]!.text, /answered\]\n.*postgres.*\nGo on with this answer; do not ask/);
  });

  it('C5 defer and native write no answer; the request goes on as a handle', async () => {
    for (const [n, policy] of (['defer', 'native'] as const).entries()) {
      const reply = await (
        await tools(policy)
      ).call('ask', { question: policy }, caller(`call_${String(n)}`));
      assert.deepEqual(reply, { kind: 'parked' });
    }
    assert.deepEqual(
      questions().map((question) => question.handle),
      ['proc:1', 'proc:2'],
    );
  });

  it('C5 whatever the policy, what needs no person is simply awaited', async () => {
    rig.clients.come('served', 'w1');
    for (const policy of ['hold', 'acknowledge', 'defer', 'native'] as const) {
      const reply = (await tools(policy)).call('served', {}, caller(policy));
      await rig.quiet();
      rig.clients.pending[0]?.answer({ text: policy });
      assert.deepEqual(await reply, answered(policy));
    }
  });

  it('C7 two identical calls get their own requests and their own answers, by the model’s call id', async () => {
    const both = await tools('hold');
    const first = both.call('ask', { question: 'same' }, caller('call_1'));
    const second = both.call('ask', { question: 'same' }, caller('call_2'));
    await rig.quiet();
    const [one, two] = questions();
    assert.deepEqual([one?.call, two?.call], ['call_1', 'call_2']);
    await rig.engine.answer(two!.id, { text: 'second' }, 'you');
    await rig.engine.answer(one!.id, { text: 'first' }, 'you');
    await rig.quiet();
    assert.deepEqual(await first, answered('first'));
    assert.deepEqual(await second, answered('second'));
  });

  it('C7 without ids they are first in, first out', async () => {
    const both = await tools('hold');
    const first = both.call('ask', { question: 'same' }, caller());
    const second = both.call('ask', { question: 'same' }, caller());
    await rig.quiet();
    await rig.engine.answer(questions()[0]!.id, { text: 'first' }, 'you');
    await rig.quiet();
    assert.deepEqual(await first, answered('first'));
    assert.equal(await settled(second), 'open');
    await answerAll('second');
    assert.deepEqual(await second, answered('second'));
  });

  it('R9 a call that is made twice under one id is one request, and both get its one answer', async () => {
    const both = await tools('hold');
    const first = both.call('ask', { question: 'q' }, caller('call_1'));
    const again = both.call('ask', { question: 'q' }, caller('call_1'));
    await rig.quiet();
    assert.equal(questions().length, 1);
    await answerAll('once');
    assert.deepEqual(await first, answered('once'));
    assert.deepEqual(await again, answered('once'));
    assert.deepEqual(await both.call('ask', { question: 'q' }, caller('call_1')), answered('once'));
  });

  it('L7 C7 a later turn’s call under the same id is put afresh', async () => {
    const first = (await tools('hold')).call('ask', { question: 'q' }, caller('call_1'));
    await rig.quiet();
    await answerAll('one');
    await first;
    await rig.agent.end();
    await rig.quiet();
    await rig.send(session, 'again');
    await rig.quiet();
    const second = rig.agent.tools.call('ask', { question: 'q' }, caller('call_1'));
    await rig.quiet();
    assert.equal(questions().length, 1);
    await answerAll('two');
    assert.deepEqual(await second, answered('two'));
  });

  it('C6 when the agent’s side is gone the request goes on as a handle, and nothing is written', async () => {
    const abort = new AbortController();
    const made = await tools('hold');
    const reply = made.call('ask', { question: 'q' }, caller('call_1', abort));
    await rig.quiet();
    abort.abort();
    assert.deepEqual(await reply, { kind: 'dropped' });
    assert.equal(questions()[0]?.handle, 'proc:1');
  });

  it('C8 after an interrupt no frame follows', async () => {
    const made = await tools('hold');
    const reply = made.call('ask', { question: 'q' }, caller('call_1'));
    await rig.quiet();
    await rig.engine.interrupt(session, rig.agent.tools.turn);
    assert.deepEqual(await reply, { kind: 'dropped' });
    assert.deepEqual(questions(), []);
  });

  it('C8 P5 an answer given while the cord is pulled is not written, and told when the agent goes on', async () => {
    const made = await tools('hold');
    const reply = made.call('ask', { question: 'q' }, caller('call_1'));
    await rig.quiet();
    await rig.engine.pull('you', undefined);
    assert.equal(questions().length, 1);
    assert.deepEqual(await reply, { kind: 'dropped' });
    assert.equal(questions()[0]?.handle, 'proc:1');
    await answerAll('meanwhile');
    await rig.engine.release('you');
    await rig.quiet();
    assert.match(rig.agent.prompts.at(-1)!.text, /meanwhile/);
  });

  it('C6 R5 a run that ends with a call held leaves its question, whose answer opens the next turn (C8)', async () => {
    const made = await tools('hold');
    const reply = made.call('ask', { question: 'Which?' }, caller('call_1'));
    await rig.quiet();
    await rig.agent.end();
    await rig.quiet();
    assert.deepEqual(await reply, { kind: 'dropped' });
    assert.equal(questions()[0]?.handle, 'proc:1');
    await answerAll('blue');
    assert.match(rig.agent.prompts.at(-1)!.text, /blue/);
  });

  it('C6 R3 a restart ends the run and keeps the question; its answer is told when the agent goes on', async () => {
    const made = await tools('hold');
    void made.call('ask', { question: 'Which?' }, caller('call_1'));
    await rig.quiet();
    await rig.crash();
    assert.equal(questions()[0]?.handle, 'proc:1');
    await answerAll('green');
    await rig.send(session, 'go on');
    await rig.quiet();
    assert.match(rig.agent.prompts.at(-1)!.text, /green/);
  });

  it('L1 L3 a message lifts a held call after the grace: the agent reads its handle, then the message', async () => {
    const made = await tools('hold');
    const reply = made.call('ask', { question: 'Which?' }, caller('call_1'));
    await rig.quiet();
    await rig.send(session, 'never mind');
    await rig.advance(249);
    assert.equal(await settled(reply), 'open');
    await rig.advance(1);
    assert.deepEqual(await reply, {
      kind: 'answered',
      result: {
        output: { handle: 'proc:1', background: true, steered: true, waits_for: 'answer' },
        failed: false,
      },
    });
    assert.deepEqual(rig.agent.steered, ['never mind']);
    assert.equal(questions().length, 1, 'and cancels nothing');
  });

  it('C2 an agent to which no tested way leads is refused before it starts', async () => {
    rig.agent.can = { ...rig.agent.can, reach: { place: 'elsewhere', ways: ['mcpStdio'] } };
    session = await rig.session('ask', AGENT);
    await rig.send(session, 'go');
    await rig.quiet();
    assert.equal(rig.agent.prompts.length, 0);
    const [ended] = rig.events.filter((event) => event.type === 'turn_ended');
    assert.equal(ended?.type === 'turn_ended' && ended.data.code, 'tools_undeliverable');
  });

  it('C1 malformed arguments and unknown tools are results at once, and nothing is shown', async () => {
    const made = await tools('hold');
    const reply = await made.call('rm', {}, caller('call_1'));
    assert.ok(reply.kind === 'answered' && reply.result.output['error'] === 'tool_unknown');
    assert.deepEqual(questions(), []);
    const shell = await made.call('gated', {}, caller('call_2'));
    assert.ok(shell.kind === 'answered' && shell.result.failed, 'only client tools are reached');
  });

  it('A1 C5 one that may change something asks first: held, allowed, then served; a denial is its result', async () => {
    rig.clients.come('gated_client', 'w1');
    const both = await tools('hold');
    const allowed = both.call('gated_client', { n: 1 }, caller('call_1'));
    const denied = both.call('gated_client', { n: 2 }, caller('call_2'));
    await rig.quiet();
    const [one, two] = rig.snapshot.needs.flatMap((need) =>
      need.kind === 'approval' ? [need.approval] : [],
    );
    const verdict = (approval: typeof one, decision: 'allow' | 'deny') =>
      rig.engine.verdict({
        approval: approval!.id,
        request: 1,
        decision,
        reason: decision === 'deny' ? 'not now' : undefined,
        scope: 'once',
        by: 'you',
      });
    await verdict(one, 'allow');
    await rig.quiet();
    rig.clients.pending[0]?.answer({ text: 'done' });
    assert.deepEqual(await allowed, answered('done'));
    await verdict(two, 'deny');
    const reply = await denied;
    assert.ok(reply.kind === 'answered');
    assert.deepEqual(reply.result.output, { error: 'approval_denied', detail: 'not now' });
  });

  it('R5 C5: in any order of answers, ends, limits, pauses and teardown every call gets exactly one reply', async function () {
    this.timeout(120_000);
    const acts = fc.constantFrom(
      'call',
      'call',
      'answer',
      'abort',
      'time',
      'pull',
      'release',
      'end',
      'steal',
    );
    const policies = fc.constantFrom<WaitPolicy>('hold', 'acknowledge', 'defer', 'native');
    const script = fc.array(fc.record({ act: acts, pick: fc.nat(9) }), { minLength: 2, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(policies, script, async (policy, steps) => {
        const own = await new Rig().open();
        try {
          await atWork(own, policy, 60_000);
          const made = own.agent.tools;
          const replies: AgentReply[] = [];
          const aborts: AbortController[] = [];
          for (const { act, pick } of steps) {
            const asked = own.snapshot.needs.flatMap((need) =>
              need.kind === 'question' ? [need.question] : [],
            );
            const one = asked[pick % Math.max(1, asked.length)];
            switch (act) {
              case 'call': {
                const abort = new AbortController();
                aborts.push(abort);
                void made
                  .call(
                    'ask',
                    { question: String(pick % 3) },
                    caller(pick < 5 ? undefined : `c${String(aborts.length)}`, abort),
                  )
                  .then((reply) => replies.push(reply));
                break;
              }
              case 'answer':
                if (one !== undefined) await own.engine.answer(one.id, { text: 'x' }, 'you');
                break;
              case 'steal':
                if (one?.handle !== undefined) await own.engine.stopHandle(one.handle);
                break;
              case 'abort':
                aborts[pick % Math.max(1, aborts.length)]?.abort();
                break;
              case 'time':
                await own.advance(pick * 7_000);
                break;
              case 'pull':
                await own.engine.pull('you', undefined);
                break;
              case 'release':
                await own.engine.release('you');
                break;
              case 'end':
                await own.agent.end();
                break;
            }
            if (pick % 2 === 0) await own.quiet();
          }
          await own.quiet();
          for (const abort of aborts) abort.abort();
          await own.engine.release('you');
          await own.advance(120_000);
          assert.equal(replies.length, aborts.length);
          assert.deepEqual(own.snapshot.needs, own.readSnapshot().needs);
        } finally {
          await own.close();
        }
      }),
      { numRuns: 60 },
    );
  });
});
