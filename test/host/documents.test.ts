import assert from 'node:assert/strict';
import { done, scenes, shell } from '../support/scene';

describe('sessions as documents, and forks', () => {
  const scene = scenes();
  const turn = async (session: string, text: string) => {
    const mark = scene.host.mark;
    await scene.host.request('message/send', { session, text });
    return (await scene.host.next('turn_ended', mark)).data;
  };

  beforeEach(async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full', title: 'Fix login' });
    scene.server.script([
      { text: 'Looking.', calls: [shell('echo ```hi```', {}, 'c1')] },
      done('It says hi.'),
      done('And more.'),
    ]);
    await turn(scene.session, 'what does it say');
    await turn(scene.session, 'and then');
  });

  it('a session is exported as Markdown and as JSON', async () => {
    const { text } = await scene.host.request('session/export', { session: scene.session });
    assert.match(text, /^# Fix login\n\n## You\n\nwhat does it say\n/);
    assert.match(text, /## Agent\n\nIt says hi\./);
    assert.match(text, /\n````\n/, 'a fence that the text cannot close');
    const json = JSON.parse(
      (await scene.host.request('session/export', { session: scene.session, format: 'json' })).text,
    ) as { turns: unknown[] };
    assert.equal(json.turns.length, 2);
    assert.equal((await scene.host.refused('session/export', { session: 's99' })).code, 'session_unknown');
  });

  it('R10 a long session comes in pieces, which are the document; others are answered between them', async () => {
    const big = 'wide \u{1f9f6} '.repeat(6_000);
    const json = await scene.host.request('session/export', { session: scene.session, format: 'json' });
    const one = JSON.parse(json.text) as { turns: { told: { type: string; data: { result?: object } }[] }[] };
    const turn = { told: one.turns[0]?.told ?? [] };
    for (const { type, data } of turn.told) if (type === 'tool_completed') data.result = { stdout: big };
    const text = JSON.stringify({ ...one, turns: Array.from({ length: 60 }, () => turn) });
    const { session } = await scene.host.request('session/import', { text, folder: scene.host.workspace });
    for (const format of ['json', 'markdown'] as const) {
      const asked = { session: session.id, format };
      const whole = await scene.host.request('session/export', asked);
      let pieces = '';
      let cursor: string | undefined;
      let count = 0;
      do {
        const exporting = scene.host.request('session/export', {
          ...asked,
          pieces: true,
          ...(cursor === undefined ? {} : { cursor }),
        });
        const order: string[] = [];
        const piece = exporting.then((done) => (order.push('piece'), done));
        await Promise.all([piece, scene.host.request('host/status', {}).then(() => order.push('status'))]);
        const { text, next } = await piece;
        if (next !== undefined) assert.deepEqual(order, ['status', 'piece']);
        assert.ok(text.length < 1.3 * 1024 * 1024, String(text.length));
        pieces += text;
        cursor = next;
        count++;
      } while (cursor !== undefined);
      assert.ok(count > 2, String(count));
      assert.ok(pieces === whole.text);
    }
    const first = await scene.host.request('session/export', { session: session.id, pieces: true });
    const again = { session: session.id, cursor: first.next ?? '' };
    await scene.host.request('session/export', again);
    assert.equal((await scene.host.refused('session/export', again)).code, 'invalid_params');
  });

  it('a session that was exported as JSON is imported: it reads the same, and its model goes on from there', async () => {
    const exported = await scene.host.request('session/export', { session: scene.session, format: 'json' });
    const { session } = await scene.host.request('session/import', {
      text: exported.text,
      folder: scene.host.workspace,
    });
    assert.equal(session.title, 'Fix login');
    assert.equal(session.mode, 'ask', 'the careful mode, whatever the file says');
    const parts = async (id: string) =>
      (await scene.host.request('transcript/read', { session: id })).items.map(
        ({ turn: _turn, session: _session, ...view }) => view,
      );
    assert.deepEqual(await parts(session.id), await parts(scene.session));
    scene.server.script([done('Went on.')]);
    await turn(session.id, 'go on');
    const heard = scene.server.requests.at(-1)?.items.filter((item) => item.role !== 'system') ?? [];
    assert.deepEqual(
      heard.map((item) => item.role),
      ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'user'],
    );
    assert.match(heard[2]?.text ?? '', /hi/);
  });

  it('a file that is no such session is refused with a sentence, and nothing is made of it', async () => {
    const before = (await scene.host.request('session/list', {})).items.length;
    const refused = async (text: string) =>
      (await scene.host.refused('session/import', { text, folder: scene.host.workspace })).code;
    const file = { version: 1, session: { title: 'x', agent: { kind: 'model', model: 'a/b' }, mode: 'ask' } };
    const started = { at: 1, type: 'turn_started', data: { turn: 't1', model: 'a/b', cause: 'message' } };
    assert.equal(await refused('no json'), 'invalid_params');
    assert.equal(await refused('{"version":2}'), 'invalid_params');
    const other = { at: 1, type: 'tool_started', data: { call_id: 'c1', tool: 'shell', title: 'x' } };
    assert.equal(await refused(JSON.stringify({ ...file, turns: [{ told: [other] }] })), 'invalid_params');
    const cut = JSON.stringify({ ...file, turns: [{ told: [started] }] });
    assert.equal(await refused(cut.slice(0, -1)), 'invalid_params');
    assert.equal(await refused(JSON.stringify({ ...file, turns: { told: [] } })), 'invalid_params');
    const last = JSON.stringify({ ...file, turns: [{ told: [started] }, { told: [started, 5] }] });
    assert.match(
      (await scene.host.refused('session/import', { text: last, folder: scene.host.workspace })).message,
      /turns\.1\.told\.1/,
      'the place is named, also behind what was right',
    );
    const wrong = { ...started, data: { turn: 5 } };
    assert.equal(await refused(JSON.stringify({ ...file, turns: [{ told: [wrong] }] })), 'invalid_params');
    assert.equal((await scene.host.request('session/list', {})).items.length, before);
  });

  it('sessions are found by title and by what was said, newest first, with the words around it', async () => {
    const { session: other } = await scene.host.request('session/create', {
      folder: scene.host.workspace,
      agent: { kind: 'model', model: 'local/m1' },
      title: 'Rename 100% of it',
    });
    const find = async (text: string) =>
      (await scene.host.request('session/search', { text })).items.map((item) => [
        item.session.id,
        item.turn,
        item.excerpt,
      ]);
    assert.deepEqual(await find('100%'), [[other.id, undefined, undefined]]);
    assert.deepEqual(await find('FIX LOG'), [[scene.session, undefined, undefined]]);
    assert.deepEqual(await find('says hi'), [[scene.session, 't1', 'It says hi.']]);
    assert.deepEqual(await find('and th'), [[scene.session, 't2', 'and then']]);
    assert.deepEqual(await find('h_'), [], 'taken literally');
    assert.deepEqual(await find('call_id'), [], 'only what was said');
  });

  it('the audit is exported as JSON lines, oldest first', async () => {
    const { text } = await scene.host.request('audit/export', {});
    assert.deepEqual(await scene.host.request('audit/export', { pieces: true }), { text });
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      entries.map((entry) => [entry['tool'], entry['decision'], entry['by'], entry['ran'], entry['outcome']]),
      [['shell', 'allow', 'mode full', true, 'completed']],
    );
  });

  it('the audit is filtered by what was decided and by a part of what was asked, taken literally', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    scene.server.script([{ calls: [shell('printf 100%_x')] }, done()]);
    const mark = scene.host.mark;
    await scene.say('once more');
    await scene.deny(await scene.asked(mark));
    await scene.host.next('turn_ended', mark);
    const titles = async (filter: Record<string, unknown>) =>
      (await scene.host.request('audit/list', filter)).items.map((entry) => entry.title);
    assert.deepEqual(await titles({}), ['printf 100%_x', 'echo ```hi```']);
    assert.deepEqual(await titles({ decision: 'deny' }), ['printf 100%_x']);
    assert.deepEqual(await titles({ decision: 'allow', text: 'ECHO' }), ['echo ```hi```']);
    assert.deepEqual(await titles({ text: '%_' }), ['printf 100%_x'], 'no wildcard');
    assert.deepEqual(await titles({ text: 'o_c' }), []);
    const { text } = await scene.host.request('audit/export', { decision: 'deny' });
    assert.equal(text.trim().split('\n').length, 1);
  });

  it('a fork has the past up to a turn and goes its own way; the old session is as it was', async () => {
    const { session } = await scene.host.request('session/fork', { session: scene.session, turn: 't1' });
    assert.equal(session.title, 'Fix login (fork)');
    scene.server.script([done('Elsewhere.')]);
    await turn(session.id, 'another way');
    const texts = scene.server.requests
      .at(-1)
      ?.items.filter((item) => item.role === 'user')
      .map((item) => item.text);
    assert.deepEqual(texts, ['what does it say', 'another way']);
    const forked = await scene.host.request('transcript/read', { session: session.id });
    assert.deepEqual(
      forked.items.map((view) => view.status),
      ['completed', 'completed'],
    );
    assert.deepEqual(
      forked.items[0]?.parts
        .filter((part) => part.kind === 'text')
        .map((part) => part.kind === 'text' && part.text),
      ['Looking.', 'It says hi.'],
    );
    assert.equal((await scene.host.request('transcript/read', { session: scene.session })).items.length, 2);
    assert.equal(
      (await scene.host.refused('session/fork', { session: scene.session, turn: 't99' })).code,
      'turn_unknown',
    );
  });
});
