import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { done, scenes, shell, toldOf } from '../support/scene';

describe('approvals', () => {
  const scene = scenes();

  it('A3 a denial’s reason is the result that the model reads, and nothing ran', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done('Then I will not.')]);
    await scene.say('go');
    await scene.deny(await scene.asked(), 'use the other tool');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
    assert.deepEqual(toldOf(scene.server, 'c1'), { error: 'approval_denied', detail: 'use the other tool' });
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
  });

  it('A2 a late, a second and an unknown verdict each get the request’s fate', async () => {
    scene.server.script([{ calls: [shell('true')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: 'a99', request: 1, decision: 'allow' })).code,
      'approval_unknown',
    );
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: asked.id, request: 2, decision: 'allow' }))
        .code,
      'approval_superseded',
    );
    await Promise.all([
      scene.allow(asked),
      assert.rejects(
        scene.host.request('approval/answer', {
          approval: asked.id,
          request: 1,
          decision: 'deny',
          by: 'second',
        }),
        (error: { data: Record<string, unknown> }) =>
          error.data['code'] === 'approval_answered' && error.data['by'] === 'test',
      ),
    ]);
    await scene.host.next('turn_ended');
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(items, []);
  });

  it('T2 A4 all of a round are announced together; a failed one makes the later be announced again', async () => {
    scene.server.script([
      { calls: [shell('exit 3', {}, 'c1'), shell('touch second', {}, 'c2'), shell('touch third', {}, 'c3')] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, (event) => event.data.call_id === 'c3');
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(
      items.map((item) => item.call),
      ['c1', 'c2', 'c3'],
    );
    const [first, second, third] = items;
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    await scene.allow(second);
    assert.equal(
      existsSync(join(scene.host.workspace, 'second')),
      false,
      'nothing overtakes an unfinished call',
    );
    const mark = scene.host.mark;
    await scene.allow(first);
    const again = await scene.host.next('approval_requested', mark, (event) => event.data.call_id === 'c2');
    assert.equal(again.data.request, 2);
    assert.equal(again.data.askedAt, second.askedAt, 'it waits since it was announced first');
    assert.ok((again.data.askedAgainAt ?? 0) >= again.data.askedAt);
    assert.equal(second.askedAgainAt, undefined);
    await scene.crash();
    const listed = (await scene.host.request('approval/list', {})).items.find(({ call }) => call === 'c2');
    assert.deepEqual(
      [listed?.askedAt, listed?.askedAgainAt],
      [second.askedAt, again.data.askedAgainAt],
      'A9: the listing says the same, also after a crash',
    );
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: second.id, request: 1, decision: 'allow' }))
        .code,
      'approval_superseded',
    );
    assert.equal(existsSync(join(scene.host.workspace, 'second')), false);
    await scene.allow({ id: second.id, request: 2 });
    await scene.allow({ id: third.id, request: 2 });
    await scene.host.next('turn_ended');
    assert.ok(
      existsSync(join(scene.host.workspace, 'second')) && existsSync(join(scene.host.workspace, 'third')),
    );
  });

  it('A3 A7 an allow for the session is a rule: it allows what waits alike, is listed, and can be removed', async () => {
    scene.server.script([
      { calls: [shell('echo same', {}, 'c1'), shell('echo same', {}, 'c2'), shell('echo other', {}, 'c3')] },
      done(),
      { calls: [shell('echo same')] },
      done(),
      { calls: [shell('echo same')] },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('approval_requested', 0, (event) => event.data.call_id === 'c3');
    const { items } = await scene.host.request('approval/list', {});
    const first = items[0];
    assert.ok(first !== undefined);
    assert.deepEqual(
      first.offers.map((offer) => offer.scope),
      ['session', 'workspace'],
    );
    const label = `\`echo same\` exactly, in ${scene.host.workspace}`;
    assert.equal(first.offers[0]?.label, label);
    const answered = (await scene.allow(first, { scope: 'session' })) as {
      rule?: { label: string; id: string };
    };
    assert.equal(answered.rule?.label, label);
    const byRule = await scene.host.next('approval_answered', 0, (event) => event.data.call_id === 'c2');
    assert.match(byRule.data.by, /^rule: /);
    const left = await scene.host.request('approval/list', {});
    assert.deepEqual(
      left.items.map((item) => item.call),
      ['c3'],
    );
    await scene.deny({ id: left.items[0]!.id, request: left.items[0]!.request });
    await scene.host.next('turn_ended');

    let mark = scene.host.mark;
    await scene.say('again');
    await scene.host.next('turn_ended', mark);
    assert.equal(scene.host.types(mark).includes('approval_requested'), false);
    const rules = await scene.host.request('rule/list', {});
    assert.deepEqual(
      rules.items.map((rule) => rule.label),
      [label],
    );
    await scene.host.request('rule/remove', { rule: rules.items[0]!.id });
    mark = scene.host.mark;
    await scene.say('and again');
    const asked = await scene.asked(mark);
    await scene.allow(asked);
    await scene.host.next('turn_ended', mark);
  });

  it('A1 a denial rule holds in every mode, also in "full"', async () => {
    scene.server.script([{ calls: [shell('echo no', {}, 'c1')] }, done()]);
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'command', command: 'echo no', folder: scene.host.workspace },
    });
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'approval_denied');
  });

  it('A12 an edit of what decides over the agent asks in every mode', async () => {
    scene.server.script([
      {
        calls: [
          { tool: 'write', args: { path: 'free.txt', text: 'x' } },
          { tool: 'write', args: { path: '.vscode/settings.json', text: '{}' } },
        ],
      },
      done(),
    ]);
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    await scene.say('go');
    const asked = await scene.asked();
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(
      items.map((item) => [item.title, item.offers]),
      [[items[0]?.title, []]],
    );
    assert.match(items[0]?.title ?? '', /settings\.json/);
    await scene.deny(asked);
    await scene.host.next('turn_ended');
    assert.ok(existsSync(join(scene.host.workspace, 'free.txt')));
    assert.equal(existsSync(join(scene.host.workspace, '.vscode/settings.json')), false);
  });

  it('A3 an edit’s request shows its diff, whole on demand, and writes just that', async () => {
    writeFileSync(join(scene.host.workspace, 'a.txt'), 'one\ntwo\n');
    scene.server.script([
      { calls: [{ tool: 'edit', args: { path: 'a.txt', old: 'two', new: 'three' } }] },
      done(),
    ]);
    await scene.say('go');
    const asked = await scene.asked();
    const { items } = await scene.host.request('approval/list', {});
    const preview = items[0]?.preview;
    assert.ok(preview?.kind === 'diff');
    assert.match(preview.diff, /-two\n\+three/);
    const sides = await scene.host.request('approval/preview', { approval: asked.id });
    assert.equal(sides.before, 'one\ntwo\n');
    assert.equal(sides.after, 'one\nthree\n');
    await scene.allow(asked);
    await scene.host.next('turn_ended');
    assert.equal(readFileSync(join(scene.host.workspace, 'a.txt'), 'utf8'), 'one\nthree\n');
  });

  it('A7 a change of mode decides what waits', async () => {
    scene.server.script([{ calls: [{ tool: 'write', args: { path: 'a.txt', text: 'x' } }] }, done()]);
    await scene.say('go');
    await scene.asked();
    await scene.host.request('session/update', { session: scene.session, mode: 'edits' });
    await scene.host.next('turn_ended');
    assert.equal(readFileSync(join(scene.host.workspace, 'a.txt'), 'utf8'), 'x');
  });

  it('A7 what was planned as free and has not started is asked for when the mode asks again', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const first = shell('echo begun; while [ ! -e go ]; do sleep 0.05; done', {}, 'c1');
    scene.server.script([{ calls: [first, shell('touch ran', {}, 'c2')] }, done()]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    await scene.host.request('session/update', { session: scene.session, mode: 'ask' });
    const asked = await scene.asked();
    assert.equal(asked.call, 'c2');
    writeFileSync(join(scene.host.workspace, 'go'), '');
    await scene.host.next('turn_waiting');
    assert.equal(existsSync(join(scene.host.workspace, 'ran')), false);
    await scene.deny(asked, 'not now');
    await scene.host.next('turn_ended');
    assert.equal(existsSync(join(scene.host.workspace, 'ran')), false);
  });

  it('A7 what a rule has allowed and has not started is asked for again when the rule goes', async () => {
    const first = shell('echo begun; while [ ! -e go ]; do sleep 0.05; done', {}, 'c1');
    scene.server.script([{ calls: [first, shell('touch ran', {}, 'c2')] }, done()]);
    const { rule } = await scene.host.request('rule/add', {
      effect: 'allow',
      scope: 'workspace',
      match: { kind: 'command', command: 'touch ran', folder: scene.host.workspace },
    });
    await scene.say('go');
    const running = await scene.asked();
    await scene.allow(running);
    await scene.host.next('tool_progress');
    const mark = scene.host.mark;
    await scene.host.request('rule/remove', { rule: rule.id });
    const asked = await scene.asked(mark);
    assert.equal(asked.call, 'c2');
    writeFileSync(join(scene.host.workspace, 'go'), '');
    await scene.allow(asked);
    await scene.host.next('turn_ended');
    assert.equal(existsSync(join(scene.host.workspace, 'ran')), true);
  });

  it('A6 R3 a request held live survives a crash, and its verdict carries the turn on', async () => {
    scene.server.script([{ calls: [shell('echo after > after.txt')] }, done('Ran after the crash.')]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.crash();
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(
      items.map((item) => item.id),
      [asked.id],
    );
    assert.equal(scene.host.snapshot?.sessions[0]?.state, 'waiting');
    await scene.allow(asked);
    const ended = await scene.host.next('turn_ended');
    assert.equal(ended.data.status, 'completed');
    assert.equal(readFileSync(join(scene.host.workspace, 'after.txt'), 'utf8'), 'after\n');
  });

  it('A11 in an untrusted workspace nothing runs, history is read and a denial is taken', async () => {
    scene.server.script([{ calls: [shell('touch never')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.request('settings/update', { trusted: false });
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: asked.id, request: 1, decision: 'allow' }))
        .code,
      'untrusted_workspace',
    );
    assert.equal(
      (await scene.host.refused('message/send', { session: scene.session, text: 'more' })).code,
      'untrusted_workspace',
    );
    const read = await scene.host.request('transcript/read', { session: scene.session });
    assert.equal(read.items.length, 1);
    await scene.deny(asked, 'no');
    await scene.host.next('turn_ended');
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
  });
});

describe('requests with a time of their own', () => {
  const scene = scenes({ settings: { approvals: { lapseMs: 150, holdMs: 10 } } });

  it('A5 a lapse is told as a lapse, not as a denial, and the later calls are announced again', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    const closed = await scene.host.next('approval_closed');
    assert.equal(closed.data.fate, 'lapsed');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'approval_lapsed');
    assert.equal(
      (await scene.host.refused('approval/answer', { approval: asked.id, request: 1, decision: 'allow' }))
        .code,
      'approval_lapsed',
    );
  });

  it('A5 L6 the time of a request stands still while the cord is pulled, survives a crash, and runs on after release', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.request('host/pause', {});
    await scene.crash();
    const { items } = await scene.host.request('approval/list', {});
    assert.deepEqual(
      items.map((item) => item.id),
      [asked.id],
      'it has not lapsed',
    );
    await scene.host.request('host/resume', {});
    const fresh = await scene.host.request('events/subscribe', {});
    const folded = scene.host.snapshot?.needs;
    if (fresh.snapshot.needs.length > 0)
      assert.deepEqual(folded, fresh.snapshot.needs, 'A9: moved alike by event and listing');
    await scene.host.next('approval_closed');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'c1')['error'], 'approval_lapsed');
  });
});
