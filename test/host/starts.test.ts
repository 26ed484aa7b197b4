import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnId } from '../../protocol';
import { sqlite } from '../store/sqliteShell';
import { HostClient } from '../support/hostClient';
import { done, scenes, shell, toldOf } from '../support/scene';
import { gate } from '../support/modelServer';

describe('what must hold at the moment of the start', () => {
  const scene = scenes({ settings: { approvals: { holdMs: 0 } } });
  const mode = (mode: 'ask' | 'full') =>
    scene.host.request('session/update', { session: scene.session, mode });

  it('A7 A11 lost trust stops the calls of a round that have not started, and the next model request', async () => {
    await mode('full');
    scene.server.script([
      {
        calls: [shell('while [ ! -e gate ]; do sleep 0.02; done', {}, 'c1'), shell('touch never', {}, 'c2')],
      },
      done(),
    ]);
    await scene.say('go');
    await scene.host.next('tool_started');
    await scene.host.request('settings/update', { trusted: false });
    writeFileSync(join(scene.host.workspace, 'gate'), '');
    const ended = await scene.host.next('turn_ended');
    assert.deepEqual([ended.data.status, ended.data.code], ['failed', 'untrusted_workspace']);
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
    assert.equal(scene.server.requests.length, 1);
  });

  it('A7 P5 P7 a deny rule of the time of the pause wins over an allow that waits for the release', async () => {
    scene.server.script([{ calls: [shell('touch never', {}, 'c1')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('wait');
    await scene.host.next('turn_ended');
    await scene.host.request('host/pause', {});
    await scene.allow(asked);
    assert.equal(scene.host.snapshot?.handles[0]?.state, 'held');
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'tool', tool: 'shell' },
    });
    await scene.host.request('host/resume', {});
    assert.equal((await scene.host.next('handle_ended')).data.end, 'denied');
    assert.equal(existsSync(join(scene.host.workspace, 'never')), false);
    const ends = scene.host.events.filter((event) => event.type === 'lifted_ended');
    assert.equal(ends.length, 1, 'L9: allowed was the last word');
  });

  it('A1 a deny rule holds for the agent’s own tools as well', async () => {
    await scene.host.request('rule/add', {
      effect: 'deny',
      scope: 'workspace',
      match: { kind: 'tool', tool: 'note' },
    });
    scene.server.script([{ calls: [{ tool: 'note', args: { text: 'x' }, id: 'n1' }] }, done()]);
    await scene.say('go');
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, 'n1')['error'], 'approval_denied');
  });

  it('A10 A12 a session works in a folder of the workspace and in no other', async () => {
    for (const folder of ['/', tmpdir()]) {
      const refused = await scene.host.refused('session/create', {
        folder,
        agent: { kind: 'model', model: 'local/m1' },
      });
      assert.equal(refused.code, 'invalid_params');
    }
  });

  it('L9 L11 a stop of a lifted call that was allowed is told once, and its reply comes after its end', async () => {
    scene.server.script([{ calls: [shell('echo up; exec sleep 60', {}, 'c1')] }, done(), done()]);
    await scene.say('go');
    const asked = await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('wait');
    await scene.host.next('turn_ended');
    await scene.allow(asked);
    await scene.host.next('tool_progress');
    const stopped = await scene.host.request('handle/stop', { handle: 'proc:1' });
    assert.deepEqual(stopped, { handle: 'proc:1', stopped: true, ran: true });
    assert.ok(scene.host.types().includes('handle_ended'), 'published before the reply');
    assert.deepEqual(
      await scene.host.request('handle/stop', { handle: 'proc:1' }),
      stopped,
      'again: what was recorded',
    );
    const outcomes = scene.host.events.flatMap((event) =>
      event.type === 'lifted_ended' ? [event.data.outcome] : [],
    );
    assert.deepEqual(outcomes, ['allowed']);
  });

  it('L9 a stop of a command that was allowed before its lift is told', async () => {
    scene.server.script([{ calls: [shell('echo begun; exec sleep 60', {}, 'c1')] }, done(), done()]);
    await scene.say('go');
    await scene.allow(await scene.asked());
    await scene.host.next('tool_progress');
    await scene.say('leave it');
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await scene.host.request('handle/stop', { handle: 'proc:1' });
    const { data } = await scene.host.next('lifted_ended');
    assert.deepEqual([data.call_id, data.outcome, data.failed], ['c1', 'stopped', true]);
    await scene.host.next('turn_ended', mark);
  });

  it('R9 R5 a second shutdown waits for the same end, and cuts nothing short', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    scene.server.script([
      { calls: [shell('trap "sleep 0.3; exit 0" TERM; echo begun; sleep 60 & wait', {}, 'c1')] },
    ]);
    await scene.say('go');
    await scene.host.next('tool_progress');
    const first = scene.host.request('shutdown', {});
    assert.deepEqual(await Promise.all([first, scene.host.request('shutdown', {})]), [{}, {}]);
    const { data } = await scene.host.next('tool_completed');
    assert.equal((data.result as { error: string }).error, 'stopped');
  });

  it('R9 two interrupts of one turn both get their answer', async () => {
    const held = gate();
    scene.server.script([{ text: 'slow', pieces: 3, gates: [{ after: 1, gate: held }] }]);
    const sent = (await scene.say('go')) as { turn: string };
    await held.reached;
    const both = await Promise.allSettled([
      scene.host.request('turn/interrupt', { session: scene.session, turn: sent.turn }),
      scene.host.request('turn/interrupt', { session: scene.session, turn: sent.turn }),
    ]);
    assert.equal(both[0].status, 'fulfilled');
    held.open();
  });

  it('D4 D8 T10 a start that fails leaves nothing behind: the next one of the same window begins', async () => {
    const held = gate();
    scene.server.script([{ text: 'slow', gate: held }]);
    const { turn } = (await scene.say('go')) as { turn: TurnId };
    await held.reached;
    await scene.host.kill();
    const path = join(scene.host.storeDir, 'belay.db');
    sqlite(
      path,
      `CREATE TEMP TABLE other AS SELECT * FROM turns;
       UPDATE other SET id = 99, status = 'waiting', phase = 'none of ours';
       INSERT INTO turns SELECT * FROM other;`,
    );
    const { storeDir, workspace } = scene.host;
    const next = HostClient.spawn({ settings: scene.settings, storeDir, workspace });
    try {
      await assert.rejects(next.initialize(), { code: 'store_damaged' });
      sqlite(path, 'DELETE FROM turns WHERE id = 99');
      const started = await next.initialize();
      assert.deepEqual([started.readOnly, started.warnings], [false, []]);
      const ended = await next.request('turn/get', { turn });
      assert.deepEqual([ended.turn.status, ended.turn.code], ['interrupted', 'host_lost']);
    } finally {
      held.open();
      await next.stop();
    }
  });

  it('R9 an id that the host cannot have made stands for nothing', async () => {
    for (const session of ['turn1', '1', 'x1', 's01', 't1', '__proto__'])
      assert.equal((await scene.host.refused('session/get', { session })).code, 'session_unknown');
    assert.equal((await scene.host.refused('handle/read', { handle: 'proc:01' })).code, 'handle_unknown');
    assert.equal(
      (await scene.host.refused('turn/interrupt', { session: scene.session, turn: 'x1' })).code,
      'turn_unknown',
    );
  });

  it('what is shown and not kept carries the number of the newest event that was sent', async () => {
    scene.server.script([{ text: 'many words in many pieces '.repeat(20), pieces: 200 }]);
    scene.server.reply(() => done());
    await scene.say('go');
    await Promise.all(
      Array.from({ length: 20 }, (_none, n) => scene.say(`m${String(n)}`, { delivery: 'queue' })),
    );
    await scene.host.next('turn_ended');
    let last = 0;
    for (const event of scene.host.events) {
      if (event.type === 'text_delta') assert.equal(event.seq, last);
      else {
        assert.equal(event.seq, last === 0 ? event.seq : last + 1);
        last = event.seq;
      }
    }
  });

  it('B10 B11 an order that names a message twice, and a rule for a session that is not there, are refused', async () => {
    const held = gate();
    scene.server.script([{ text: 'x', gate: held }]);
    scene.server.reply(() => done());
    await scene.say('go');
    await held.reached;
    const queued = (await scene.say('a', { delivery: 'queue' })) as { message: { id: string } };
    const id = queued.message.id;
    assert.equal(
      (await scene.host.refused('message/reorder', { session: scene.session, order: [id, id] })).code,
      'invalid_params',
    );
    const rule = {
      effect: 'allow',
      scope: 'session',
      session: 's99',
      match: { kind: 'tool', tool: 'shell' },
    } as const;
    assert.equal((await scene.host.refused('rule/add', rule)).code, 'session_unknown');
    held.open();
  });

  it('L12 deleting a session ends what of it still waits', async () => {
    scene.server.script([{ calls: [shell('touch never')] }, done()]);
    await scene.say('go');
    await scene.asked();
    await scene.host.next('turn_waiting');
    await scene.say('wait');
    await scene.host.next('turn_ended');
    const mark = scene.host.mark;
    await scene.host.request('session/delete', { session: scene.session });
    const told = scene.host.types(mark);
    assert.ok(told.includes('handle_ended'));
    assert.ok(!told.includes('turn_started'), 'nothing of a deleted session starts');
    const { items } = await scene.host.request('audit/list', {});
    assert.deepEqual(
      items.map((entry) => entry.outcome),
      ['withdrawn'],
    );
  });

  it('R11 of settings that are partly wrong the rest holds, key by key', async () => {
    const providers = {
      ...(scene.settings['models'] as { providers: object }).providers,
      broken: { kind: 'magic' },
    };
    const { warnings } = await scene.host.request('settings/update', {
      settings: {
        ...scene.settings,
        models: { default: 'local/m1', providers },
        limits: { stallMs: -1, roundsPerTurn: 7 },
      },
    });
    assert.equal(warnings.length, 2);
    assert.match(warnings.join('\n'), /belay\.models\.providers\.broken/);
    assert.match(warnings.join('\n'), /belay\.limits\.stallMs/);
    scene.server.script([done()]);
    await scene.say('still the model');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });
});

describe('the grace of a steer', () => {
  const scene = scenes();

  it('L1 is one, however many calls follow: the message is not kept behind them', async () => {
    await scene.host.request('session/update', { session: scene.session, mode: 'full' });
    const calls = Array.from({ length: 12 }, (_none, n) => shell('sleep 0.2', {}, `c${String(n)}`));
    scene.server.script([{ calls }]);
    scene.server.reply(() => done());
    await scene.say('go');
    await scene.host.next('tool_started');
    const next = scene.server.next();
    const begin = Date.now();
    await scene.say('stop it');
    await next;
    assert.ok(Date.now() - begin < 1_500, `read after ${String(Date.now() - begin)} ms`);
  });
});

describe('a client that answers nothing', () => {
  const scene = scenes({ host: { serve: () => new Promise(() => undefined) } });

  it('R5 does not keep a turn waiting for a key that its provider may do without', async () => {
    scene.server.script([done()]);
    await scene.say('go');
    assert.equal((await scene.host.next('turn_ended')).data.status, 'completed');
  });
});
