import assert from 'node:assert/strict';
import { join } from 'node:path';
import { sqlite } from '../store/sqliteShell';
import { done, scenes, shell } from '../support/scene';
import { gate, type Answer, type Recorded } from '../support/modelServer';

/** The scene's model has a window of 200,000 tokens. */
const NEARLY_FULL = { input: 160_000, output: 100 };
const SMALL = { input: 900, output: 10 };

const told = (request: Recorded | undefined) => request?.items.filter((item) => item.role !== 'system') ?? [];
const said = (request: Recorded | undefined) => told(request).map((item) => item.text);
const lists = (folder: string): NonNullable<Answer['calls']> => [{ tool: 'list', args: { path: folder } }];
const tooLong: Answer = {
  status: 400,
  body: { error: { code: 'context_length_exceeded', message: 'too many tokens' } },
};

describe('a conversation that fills its model', () => {
  const scene = scenes();
  const compactions = () =>
    scene.host.events.flatMap((event) => (event.type === 'compacted' ? [event.data] : []));

  const turnEnds = () => scene.host.events.flatMap((event) => (event.type === 'turn_ended' ? [event] : []));

  it('T7 sums up the older part at the next boundary, keeps the newest answer with its results, and goes on', async () => {
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { calls: lists('.'), usage: NEARLY_FULL },
      { text: 'The person wants it tidy. Two listings done.', usage: NEARLY_FULL },
      done('Tidied.'),
    ]);
    await scene.say('tidy up');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.equal(scene.server.requests.length, 4);
    assert.match(said(scene.server.requests[2]).at(-1) ?? '', /what must not be forgotten/);
    assert.equal(said(scene.server.requests[2])[0], 'tidy up', 'the older part is what it sums up');
    const after = told(scene.server.requests[3]);
    assert.match(after[0]?.text ?? '', /in short:\nThe person wants it tidy/);
    assert.equal(after.filter((item) => item.role === 'tool').length, 1, 'the newest result stays whole');
    assert.deepEqual(scene.server.violations, []);
    assert.equal(compactions()[0]?.summary, 'The person wants it tidy. Two listings done.');
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    const parts = JSON.stringify(items);
    assert.match(parts, /tidy up/);
    assert.match(parts, /Two listings done/, 'the screen shows the whole, and where it was cut');
  });

  it('T7 a message that no answer has read stays word for word', async () => {
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { text: 'First done.', usage: NEARLY_FULL },
      { text: 'Summary.', usage: SMALL },
      done('Second done.'),
    ]);
    await scene.say('first');
    await scene.host.next('turn_ended');
    await scene.say('second, with "exact words"');
    await scene.host.until(() => (scene.server.requests.length === 4 ? true : undefined));
    assert.equal(said(scene.server.requests[3]).at(-1), 'second, with "exact words"');
    assert.ok(!said(scene.server.requests[3]).includes('first'));
  });

  it('T7 the cut holds after a restart', async () => {
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { calls: lists('.'), usage: NEARLY_FULL },
      { text: 'Kept in mind.', usage: SMALL },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    await scene.restart();
    scene.server.script([done()]);
    await scene.say('and now?');
    await scene.host.next('turn_ended');
    const items = told(scene.server.requests.at(-1));
    assert.match(items[0]?.text ?? '', /Kept in mind/);
    assert.equal(items.at(-1)?.text, 'and now?');
  });

  it('T7 D1 a turn after a restart reads nothing of what lies before the cut', async () => {
    for (let n = 0; n < 10; n++) {
      scene.server.script([done()]);
      const { mark } = scene.host;
      await scene.say(`before ${String(n)}`);
      await scene.host.next('turn_ended', mark);
    }
    const { mark } = scene.host;
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { calls: lists('.'), usage: NEARLY_FULL },
      { text: 'Kept in mind.', usage: SMALL },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('turn_ended', mark);
    const cut = await scene.host.next('compacted');
    await scene.host.request('shutdown', {});
    await scene.host.exited;
    // A read of what the compaction has left behind, but for a piece of it, would fail now.
    sqlite(
      join(scene.host.storeDir, 'belay.db'),
      `UPDATE events SET data = '{' WHERE seq < ${String(cut.seq - 32)}`,
    );
    scene.host = await scene.host.again({ settings: scene.settings });
    scene.server.script([done('Yes.')]);
    await scene.say('and now?');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    const items = told(scene.server.requests.at(-1));
    assert.match(items[0]?.text ?? '', /Kept in mind/);
    assert.equal(items.filter((item) => item.role === 'tool').length, 1, 'the newest result stays whole');
  });

  it('T7 a provider that says "too long" is asked to sum up, once, and then the person is told', async () => {
    const round: Answer = { calls: lists('.'), usage: SMALL };
    scene.server.script([round, round, tooLong, { text: 'Short.' }, done('Went on.')]);
    await scene.say('go');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    scene.server.script([tooLong, tooLong, tooLong]);
    await scene.say('again');
    const ended = await scene.host.until(() => turnEnds()[1]);
    assert.equal(ended.data.code, 'context_limit');
    assert.equal(compactions().length, 1);
  });

  it('T7 a person has it summed up before the next request, once, and after a restart as well', async () => {
    const compact = () => scene.host.request('session/compact', { session: scene.session, by: 'test' });
    const refused = await scene.host.refused('session/compact', { session: scene.session });
    assert.deepEqual([refused.code, refused.message], ['invalid_params', 'There is nothing to sum up yet.']);
    scene.server.script([{ calls: lists('.'), usage: SMALL }, done('Listed.')]);
    await scene.say('look around');
    await scene.host.next('turn_ended');
    await compact();
    await compact();
    await scene.restart();
    scene.server.script([{ text: 'They wanted a listing.', usage: SMALL }, done('Here I am.')]);
    await scene.say('and now?');
    await scene.host.until(() => turnEnds()[0]);
    assert.match(said(scene.server.requests.at(-2)).at(-1) ?? '', /what must not be forgotten/);
    const after = said(scene.server.requests.at(-1));
    assert.deepEqual([after.length, after[1]], [2, 'and now?']);
    assert.match(after[0] ?? '', /They wanted a listing/);
    const { items } = await scene.host.request('transcript/read', { session: scene.session });
    const kinds = items.flatMap(({ parts }) => parts.map(({ kind }) => kind));
    assert.equal(kinds.filter((kind) => kind === 'compaction_asked').length, 1);
    assert.equal(kinds.filter((kind) => kind === 'compacted').length, 1);
  });

  it('P4 a pause during the summary ends it; it is made again after release and cost no try', async () => {
    const held = gate();
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { calls: lists('.'), usage: NEARLY_FULL },
      { text: 'Half a summ', gate: held },
      { text: 'The summary.', usage: SMALL },
      done(),
    ]);
    await scene.say('go');
    await held.reached;
    const pulled = await scene.host.request('host/pause', { by: 'test' });
    assert.equal(pulled.ended[0]?.kind, 'model');
    held.open();
    await scene.host.request('host/resume', { by: 'test' });
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.deepEqual(
      compactions().map((data) => data.summary),
      ['The summary.'],
    );
    assert.ok(!scene.host.types().includes('model_retry'));
  });

  it('T7 a command that waits for a verdict meanwhile keeps its request', async () => {
    scene.server.script([
      { calls: lists('.'), usage: SMALL },
      { calls: [shell('true')], usage: NEARLY_FULL },
      { text: 'A command waits.', usage: SMALL },
      done('Told.'),
      done('Heard of the end.'),
    ]);
    await scene.say('go');
    await scene.host.next('approval_requested');
    await scene.say('what is it?');
    await scene.host.next('turn_ended');
    assert.equal(compactions().length, 1);
    const { items } = await scene.host.request('approval/list', { session: scene.session });
    assert.equal(items.length, 1, 'the lifted command is still asked for');
    assert.match(JSON.stringify(told(scene.server.requests[3])), /proc:1 \(true\) waits for approval/);
  });
});
