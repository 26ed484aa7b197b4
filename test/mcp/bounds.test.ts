import assert from 'node:assert/strict';
import { QUESTIONS_A_CALL } from '../../protocol';
import { StandIn } from '../support/mcpStandIn';
import { done, scenes, toldOf } from '../support/scene';

describe('mcp: bounds of what a server may do', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config() } }, limits: { serverBackoffMs: 60_000 } };
    },
  });
  beforeEach(() => scene.host.request('session/update', { session: scene.session, mode: 'full' }));
  afterEach(() => standIn.stop());
  const say = async (tool: string, args: object = {}, id = 'c1') => {
    scene.server.script([{ calls: [{ tool: `fake__${tool}`, args, id }] }, done()]);
    await scene.say('go');
  };

  it('R10 a call that floods the person with questions has only so many open; the others are cancelled', async () => {
    await say('survey', { count: 40 });
    await scene.host.next('question_asked');
    const answered = new Set<string>();
    while (answered.size < QUESTIONS_A_CALL) {
      const { items } = await scene.host.request('question/list', {});
      for (const { id } of items.filter((one) => !answered.has(one.id))) {
        await scene.host.request('question/answer', { question: id, answer: { text: 'me' }, by: 'test' });
        answered.add(id);
      }
    }
    await scene.host.next('turn_ended');
    const actions = String(toldOf(scene.server, 'c1')['text']).split(' ');
    assert.equal(actions.filter((action) => action === 'cancel').length, 40 - answered.size);
    assert.equal(
      scene.host.events.filter((event) => event.type === 'question_asked').length,
      QUESTIONS_A_CALL,
    );
    assert.ok(actions.filter((action) => action === 'accept').length >= QUESTIONS_A_CALL);
  });

  it('R10 a server that asks and never reads loses its connection, before its answers pile up', async () => {
    await say('deafen');
    await scene.host.next('turn_ended');
    assert.match(String(toldOf(scene.server, 'c1')['detail']), /left more than 1048576 bytes unread/);
  });

  it('R10 what a server says beside its results is cut, and the cut is told', async () => {
    await say('rant', { characters: 1_000_000 });
    await scene.host.next('turn_ended');
    const detail = String(toldOf(scene.server, 'c1')['detail']);
    assert.match(detail, /r{1000}\[99\d{4} more characters\]$/);
    const told = scene.host.events.filter((event) => event.type === 'tool_progress');
    assert.ok(told.length > 0 && JSON.stringify(told).length < 20_000);
    const questions = scene.host.events.filter((event) => event.type === 'question_asked');
    assert.ok(questions.length === 0, 'a form that no person fills in is declined');
  });

  it('M3 an error of the server’s own is told as it is, whatever its number, and ends nothing', async () => {
    for (const [n, code] of [-32000, -32001, -32603].entries()) {
      const mark = scene.host.mark;
      await say('error', { code, message: `no ${code}` }, `e${n}`);
      await scene.host.next('turn_ended', mark);
      const result = toldOf(scene.server, `e${n}`);
      assert.equal(result['error'], 'tool_failed');
      assert.match(String(result['detail']), new RegExp(`no ${code}`));
    }
    assert.equal(standIn.pids.length, 1);
    const [server] = (await scene.host.request('server/list', {})).items;
    assert.deepEqual([server?.state, server?.restarts], ['ready', 0]);
  });
});

describe('mcp: a server that tells of a change with each list', () => {
  let standIn: StandIn;
  const scene = scenes({
    lazily: () => {
      standIn = new StandIn();
      return { mcp: { servers: { fake: standIn.config('restless') } } };
    },
  });
  afterEach(() => standIn.stop());

  it('R10 M2 is told of once, since nothing differs, and asked no oftener than every 250 ms', async () => {
    scene.server.script([done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    await standIn.has('tools/list', 2);
    const seen = standIn.lines.filter((line) => line === 'tools/list').length;
    const [mark, began] = [scene.host.mark, Date.now()];
    await standIn.has('tools/list', seen + 3);
    assert.ok(Date.now() - began >= 450, `three more lists within ${String(Date.now() - began)} ms`);
    assert.deepEqual(
      scene.host.types(mark).filter((type) => type === 'server_changed'),
      [],
    );
  });
});
