/** Models that the editor offers: the client's side is played by the test. */
import assert from 'node:assert/strict';
import type { ModelDone, ModelInfo, Settings } from '../../protocol';
import { CordPulled } from '../../host/base/launch';
import type { ModelPort } from '../../host/engine/ports';
import type { EditorPart, EditorRequest } from '../../host/adapters/models/editor';
import { createModels } from '../../host/adapters/models/models';
import { callOf, failing, handClock, readTool, run, user, type HandClock } from './bench';
import { directWeb } from '../support/directWeb';

interface Asked {
  readonly request: EditorRequest;
  readonly part: (part: EditorPart) => void;
  readonly signal: AbortSignal;
  readonly done: (done: ModelDone) => void;
  readonly fail: (error: unknown) => void;
}

const offered: ModelInfo[] = [
  { id: 'editor/copilot-x', name: 'X (copilot)', provider: 'editor', contextWindow: 64_000, ready: true },
];

function client(
  clock: HandClock = handClock(),
  settings?: Settings['models'],
): { models: ModelPort; asked: Asked[]; clock: HandClock } {
  const asked: Asked[] = [];
  const models = createModels({
    settings: () => settings,
    secret: () => Promise.resolve(undefined),
    env: {},
    clock,
    stallMs: () => 1000,
    log: () => undefined,
    secrets: () => ({ names: [], values: [] }),
    web: directWeb(),
    editor: {
      offered: () => offered,
      request: (request, part, signal) =>
        new Promise((done, fail) => asked.push({ request, part, signal, done, fail })),
    },
  });
  return { models, asked, clock };
}

const call = callOf({
  model: 'editor/copilot-x',
  system: 'Be brief.',
  items: [user('hello')],
  tools: [readTool],
});

describe('models: the editor’s own', () => {
  it('are listed with what the client told of them', async () => {
    const { models } = client();
    assert.deepEqual(
      (await models.list()).items.filter(({ provider }) => provider === 'editor'),
      offered,
    );
    assert.equal(models.contextWindow('editor/copilot-x'), 64_000);
    assert.equal(models.contextWindow('editor/gone'), undefined);
  });

  it('gather an answer from its parts', async () => {
    const { models, asked } = client();
    const answering = run(models, call);
    const [one] = asked;
    assert.ok(one);
    assert.deepEqual(one.request, {
      model: 'copilot-x',
      system: 'Be brief.',
      items: [user('hello')],
      tools: [readTool],
    });
    one.part({ kind: 'reasoning', text: 'hm' });
    one.part({ kind: 'text', text: 'I ' });
    one.part({ kind: 'text', text: 'look.' });
    one.part({ kind: 'call', call: { callId: '', tool: 'read', args: '{"path":"x"}' } });
    one.done({ stop: 'end', usage: { inputTokens: 9, outputTokens: 2, cachedTokens: 0 } });
    const { answer, pieces } = await answering;
    assert.deepEqual(pieces, ['reasoning:hm', 'text:I ', 'text:look.']);
    assert.deepEqual(answer.calls, [{ callId: 'call_0', tool: 'read', args: '{"path":"x"}' }]);
    assert.deepEqual([answer.stop, answer.usage.inputTokens], ['calls', 9]);
  });

  it('P2: are asked inside the launch, or not at all', async () => {
    const { models, asked } = client();
    const launch = (): never => {
      throw new CordPulled();
    };
    await assert.rejects(run(models, call, { launch }), (error) => error instanceof CordPulled);
    assert.equal(asked.length, 0);
    let inside = 0;
    const answering = run(models, call, {
      launch: (effect) => {
        const value = effect();
        inside = asked.length;
        return value;
      },
    });
    assert.equal(inside, 1);
    asked[0]?.done({ stop: 'end' });
    await answering;
  });

  it('P2: a client that knows a newer epoch stands for a pulled cord', async () => {
    const { models, asked } = client();
    const answering = run(models, call);
    asked[0]?.fail(Object.assign(new Error('Paused'), { data: { code: 'host_paused' } }));
    await assert.rejects(answering, (error) => error instanceof CordPulled);
  });

  it('are cancelled at once, whether the client obeys or not', async () => {
    const { models, asked, clock } = client();
    const controller = new AbortController();
    const answering = run(models, call, { signal: controller.signal });
    const [one] = asked;
    controller.abort('cancelled');
    await assert.rejects(answering, (error) => error === 'cancelled');
    assert.equal(one?.signal.aborted, true);
    one.part({ kind: 'text', text: 'late' });
    one.fail(new Error('late'));
    assert.equal(clock.set, 0);
  });

  it('P2: of a pause the client’s acknowledgement is awaited, for 250 ms at most', async () => {
    for (const obeys of [true, false]) {
      const { models, asked, clock } = client();
      const controller = new AbortController();
      const answering = run(models, call, { signal: controller.signal });
      let settled = false;
      const over = answering.catch(() => (settled = true));
      controller.abort('host_paused');
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(settled, false, 'it may be asking somebody right now');
      if (obeys) asked[0]?.fail(new Error('Cancelled.'));
      else clock.pass(250);
      await over;
      await assert.rejects(answering, (error) => error === 'host_paused');
      assert.equal(clock.set, 0);
    }
  });

  it('are given up when nothing comes, and not while something does', async () => {
    const { models, asked, clock } = client();
    const answering = failing(run(models, call));
    clock.pass(999);
    asked[0]?.part({ kind: 'text', text: 'a' });
    clock.pass(999);
    assert.equal(asked[0]?.signal.aborted, false);
    clock.pass(1);
    assert.equal((await answering).code, 'model_stalled');
    assert.equal(asked[0].signal.aborted, true);
  });

  for (const [code, expected, retry] of [
    ['model_rejected', 'model_rejected', false],
    ['model_unknown', 'model_unknown', false],
    ['model_unreachable', 'model_unreachable', true],
    [undefined, 'model_unreachable', true],
  ] as const) {
    it(`fail as the client says: ${code ?? 'without a code'}`, async () => {
      const { models, asked } = client();
      const answering = failing(run(models, call));
      asked[0]?.fail(
        Object.assign(new Error('The client has gone.'), code === undefined ? {} : { data: { code } }),
      );
      const failure = await answering;
      assert.deepEqual([failure.code, failure.retry], [expected, retry]);
      assert.match(failure.message, /The client has gone/);
    });
  }

  it('stop when the answer grows without end', async () => {
    const { models, asked } = client();
    const answering = failing(run(models, call));
    for (let n = 0; n < 6; n += 1) asked[0]?.part({ kind: 'text', text: 'x'.repeat(1024 * 1024) });
    assert.equal((await answering).code, 'model_output_limit');
    assert.equal(asked[0]?.signal.aborted, true);
  });

  it('cannot be given by settings: the name is taken', async () => {
    const settings = {
      providers: { editor: { kind: 'openai-compatible' as const, baseUrl: 'http://127.0.0.1:1/v1' } },
    };
    const { models, asked } = client(handClock(), settings);
    const answering = run(models, call);
    asked[0]?.done({ stop: 'end' });
    await answering;
    assert.equal(asked.length, 1);
  });
});
