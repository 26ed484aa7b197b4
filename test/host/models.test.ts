import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localModel } from '../support/hostClient';
import { startModelServer } from '../support/modelServer';
import { done, scenes, shell, toldOf } from '../support/scene';

const LIMITS = { backoffMs: 5, modelAttempts: 3, roundsPerTurn: 4 };

describe('models at work', () => {
  const scene = scenes({
    settings: { limits: LIMITS },
  });
  const end = async () => (await scene.host.next('turn_ended')).data;

  it('T6 a 500, a cut stream and a stall are tried again, shown, and the answer comes through', async () => {
    scene.server.script([
      { status: 500, body: 'oops' },
      { text: 'cut off', pieces: 3, cutAfter: 2 },
      done('Whole.'),
    ]);
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
    const retries = scene.host.events.flatMap((event) =>
      event.type === 'model_retry' ? [event.data.attempt] : [],
    );
    assert.deepEqual(retries, [1, 2]);
    const texts = scene.host.turns[0]?.parts.filter((part) => part.kind === 'text');
    assert.deepEqual(
      texts?.map((part) => part.kind === 'text' && part.text),
      ['Whole.'],
    );
  });

  it('T6 a stalled stream is a failed attempt', async () => {
    await scene.host.request('settings/update', {
      settings: { ...scene.settings, limits: { ...LIMITS, stallMs: 300 } },
    });
    scene.server.script([{ text: 'stalls here', pieces: 3, stallAfter: 1 }]);
    scene.server.reply(() => done());
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
    assert.equal((await scene.host.next('model_retry')).data.code, 'model_stalled');
  });

  it('T6 attempts end, and the turn fails with a code and a sentence', async () => {
    scene.server.reply(() => ({ status: 503, body: 'busy' }));
    await scene.say('go');
    const ended = await end();
    assert.equal(ended.status, 'failed');
    assert.equal(ended.code, 'model_overloaded');
    assert.ok((ended.detail ?? '').length > 10);
    assert.equal(scene.server.requests.length, 3);
  });

  it('T6 retry-after is obeyed and shown as paced', async () => {
    scene.server.script([{ status: 429, headers: { 'retry-after': '1' }, body: 'slow down' }, done()]);
    await scene.say('go');
    const paced = await scene.host.next('turn_paced');
    assert.ok(paced.data.resumeAt - paced.at >= 1000);
    assert.equal(paced.data.code, 'model_overloaded');
    assert.equal(scene.host.turns.at(-1)?.paced?.code, 'model_overloaded');
    assert.equal((await end()).status, 'completed');
    assert.ok(scene.server.requests[1]!.at - scene.server.requests[0]!.at >= 990);
  });

  it('T6 R11 what does not listen on this machine is no limit, is named by its address, and is soon given up', async () => {
    const gone = await startModelServer();
    const { url } = gone;
    await gone.stop();
    await scene.host.request('settings/update', {
      settings: localModel(url, { limits: { modelAttempts: 8, backoffMs: 100 } }),
    });
    await scene.say('go');
    const paced = await scene.host.next('turn_paced', 0, (event) => event.data.code === 'model_unreachable');
    assert.equal(scene.host.turns.at(-1)?.paced?.resumeAt, paced.data.resumeAt);
    const ended = await end();
    const tries = scene.host.events.flatMap((event) => (event.type === 'model_retry' ? [event.data] : []));
    assert.deepEqual(
      tries.map(({ attempt, attempts }) => [attempt, attempts]),
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 6]),
    );
    assert.deepEqual([ended.status, ended.code], ['failed', 'model_unreachable']);
    assert.ok(ended.detail?.includes(`nothing listens at ${url}`), ended.detail);
    assert.equal(scene.host.turns.at(-1)?.paced, undefined);
  });

  it('R11 a 401 fails at once and says what to do', async () => {
    scene.server.script([{ status: 401, body: { error: { message: 'bad key' } } }]);
    await scene.say('go');
    const ended = await end();
    assert.equal(ended.status, 'failed');
    assert.match(ended.code ?? '', /^model_(key_missing|rejected)$/);
    assert.equal(scene.server.requests.length, 1);
  });

  it('R11 a malformed call and an unknown tool are results that the model reads', async () => {
    scene.server.script([
      {
        calls: [
          { tool: 'shell', args: '{"command": ', id: 'c1' },
          { tool: 'fly', args: {}, id: 'c2' },
        ],
      },
      done(),
    ]);
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'tool_arguments_invalid');
    assert.equal(toldOf(scene.server, 'c2')['error'], 'tool_unknown');
  });

  it('R10 a 300 KB result is cut for the model with a note, a 1 MB answer is taken whole', async () => {
    writeFileSync(join(scene.host.workspace, 'big.txt'), `${'x'.repeat(99)}\n`.repeat(3000));
    scene.server.script([
      { calls: [shell('cat big.txt', {}, 'c1')] },
      { text: 'y'.repeat(1_000_000), pieces: 50 },
    ]);
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
    const shown = toldOf(scene.server, 'c1')['stdout'] as string;
    assert.ok(shown.length <= 70_000 && shown.includes('omitted'));
    const text = (await scene.host.next('message_completed', 0, (event) => event.data.text.length > 100)).data
      .text;
    assert.equal(text.length, 1_000_000);
  });

  it('T6 a turn has a limit of rounds', async () => {
    scene.server.reply((_request, n) => ({
      calls: [{ tool: 'list', args: { path: '.' }, id: `c${String(n)}` }],
    }));
    await scene.say('go');
    const ended = await end();
    assert.deepEqual([ended.status, ended.code], ['failed', 'round_limit']);
  });

  const spending = (limits: Record<string, unknown>, price?: object) =>
    scene.host.request('settings/update', {
      settings: {
        models: {
          providers: {
            local: {
              kind: 'openai-compatible',
              baseUrl: scene.server.url,
              models: [{ id: 'm1', contextWindow: 200_000, ...(price === undefined ? {} : { price }) }],
            },
          },
        },
        limits: { ...LIMITS, ...limits },
      },
    });
  const listing = (id: string, usage: { input: number; output: number }) => ({
    calls: [{ tool: 'list', args: { path: '.' }, id }],
    usage,
  });

  it('T6 T9 a turn that has used its tokens ends at the boundary, its calls answered, and Continue gives as many again', async () => {
    await spending({ tokensPerTurn: 300 });
    scene.server.script([
      listing('c1', { input: 150, output: 10 }),
      listing('c2', { input: 150, output: 10 }),
      done('After.'),
    ]);
    await scene.say('go');
    const ended = await end();
    assert.deepEqual([ended.status, ended.code], ['failed', 'budget_limit']);
    assert.match(ended.detail ?? '', /It has used 320 tokens; "belay\.limits\.tokensPerTurn" gives 300/);
    assert.equal(scene.server.requests.length, 2);
    const results = scene.host.events.filter(({ type }) => type === 'tool_completed');
    assert.equal(results.length, 2);
    const from = scene.host.events.length;
    await scene.say('Continue.');
    assert.equal((await scene.host.next('turn_ended', from)).data.status, 'completed');
  });

  it('T9 a turn that has cost what it may ends, by the price that the settings give', async () => {
    await spending({ costUsdPerTurn: 0.5 }, { input: 1000, output: 10_000 });
    scene.server.script([listing('c1', { input: 300, output: 30 })]);
    await scene.say('go');
    const ended = await end();
    assert.equal(ended.code, 'budget_limit');
    assert.equal(ended.usage.costUsd?.toFixed(6), '0.600000');
    assert.match(ended.detail ?? '', /It has cost 0\.6000 US dollars/);
  });

  it('T9 without a price a limit of cost ends nothing', async () => {
    await spending({ costUsdPerTurn: 0.000_001 });
    scene.server.script([listing('c1', { input: 300, output: 30 }), done()]);
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
  });

  it('T9 tokens are recorded for request, turn and session', async () => {
    scene.server.script([{ text: 'x', usage: { input: 100, output: 20, cached: 40 } }]);
    await scene.say('go');
    const ended = await end();
    assert.equal(ended.usage.outputTokens, 20);
    const { session } = await scene.host.request('session/get', { session: scene.session });
    assert.equal(session.usage.outputTokens, 20);
    assert.equal(session.usage.cachedTokens, 40);
  });

  it('a call id that a turn has had already gets a name of its own, and the transcript stays valid', async () => {
    scene.server.script([
      { calls: [{ tool: 'list', args: { path: '.' }, id: 'call_1' }] },
      { calls: [{ tool: 'list', args: { path: '.' }, id: 'call_1' }] },
      done(),
    ]);
    await scene.say('go');
    assert.equal((await end()).status, 'completed');
    const ids = scene.server.requests[2]?.items.flatMap((item) => item.callId ?? []);
    assert.equal(new Set(ids).size, 2);
  });

  it('T2 adjacent reads run side by side, and their results keep the order of the calls', async () => {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(scene.host.workspace, name), name);
    scene.server.script([
      { calls: ['a', 'b', 'c'].map((path) => ({ tool: 'read', args: { path }, id: path })) },
      done(),
    ]);
    await scene.say('go');
    await end();
    const types = scene.host.events.flatMap((event) =>
      event.type === 'tool_started' || event.type === 'tool_completed' ? [event.type] : [],
    );
    assert.deepEqual(types.slice(0, 3), ['tool_started', 'tool_started', 'tool_started']);
    const order = scene.server.requests[1]?.items.flatMap((item) => item.callId ?? []);
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('the note is pinned ahead of the conversation, and history pages through an earlier turn', async () => {
    scene.server.script([
      { calls: [{ tool: 'note', args: { text: 'the port is 8080' } }] },
      done('Noted.'),
      { calls: [{ tool: 'history', args: { turn: 't1' }, id: 'h1' }] },
      done(),
    ]);
    await scene.say('remember the port');
    const first = await scene.host.next('turn_ended');
    await scene.say('what did I say');
    await scene.host.next('turn_ended', scene.host.events.indexOf(first) + 1);
    assert.ok(scene.server.requests[2]?.items[0]?.text.includes('the port is 8080'));
    assert.match(String(toldOf(scene.server, 'h1')['text']), /remember the port/);
  });
});
