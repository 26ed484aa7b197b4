import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StandIn } from '../support/mcpStandIn';
import { done, shell, toldOf } from '../support/scene';
import { scriptScenes, type ScriptScene } from './support';

/** How often the proof from outside is made; a hundred before a release. */
const TIMES = Number(process.env['BELAY_S3_TIMES'] ?? 5);

const pull = (scene: ScriptScene) => scene.host.request('host/pause', { by: 'test' });
const release = (scene: ScriptScene) => scene.host.request('host/resume', { by: 'test' });

describe('a script is halted', () => {
  let standIn: StandIn;
  before(() => (standIn = new StandIn()));
  after(() => standIn.stop());

  for (const way of ['stdio', 'HTTP'] as const)
    describe(`over ${way}`, () => {
      let url = '';
      before(async () => {
        if (way === 'HTTP') url = await standIn.serve();
      });
      after(() => standIn.stopHttp());
      const scene = scriptScenes({
        lazily: () => ({
          approvals: { mode: 'full' },
          mcp: { servers: { fake: way === 'stdio' ? standIn.config() : { type: 'http', url } } },
        }),
      });

      it(`S3 P1 a pull during a slow read lets nothing more reach the server, ${TIMES} times`, async () => {
        for (let n = 0; n < TIMES; n++) {
          const before = standIn.calls.length;
          const file = `${way}-${n}`;
          await scene.starts(
            `store('early', ${n});
             await tools.fake__slow({ until: ${JSON.stringify(standIn.file(file))} });
             store('late', ${n});
             await tools.fake__echo({ text: 'never' });
             return 'never';`,
          );
          await standIn.has('call slow', standIn.calls.filter((call) => call === 'slow').length || 1);
          await standIn.has('call', before + 1);
          const mark = scene.host.mark;
          const pulled = pull(scene);
          // The answer comes in every order: with the pull, or right after it has been told.
          if (n % 2 === 0) await pulled;
          standIn.open(file);
          await pulled;
          const told = await scene.result(mark);
          assert.equal(told['error'], 'host_paused');
          assert.equal(told['class'], 'host_paused');
          await scene.host.request('need/list', {});
          await scene.host.request('server/list', {});
          await scene.host.next('host_quiet', mark);
          assert.deepEqual(standIn.calls.slice(before), ['slow']);
          await release(scene);
          await scene.host.next('turn_ended', mark);
          assert.deepEqual(
            await scene.ran(`await tools.fake__echo({ text: 'now' }); return [load('early'), load('late')];`),
            { class: 'completed', value: [null, null] },
            'nothing was stored',
          );
          assert.deepEqual(standIn.calls.slice(before), ['slow', 'echo']);
        }
      }).timeout(20_000 + TIMES * 3_000);

      it('S6 a halted call is cancelled at its server, and a reply that comes later is dropped', async () => {
        const file = `late-${way}`;
        const code = `await tools.fake__late({ until: ${JSON.stringify(standIn.file(file))} }); return 'never';`;
        const told = scene.ran(code, { timeout_ms: 300 });
        await standIn.has('cancelled late');
        assert.equal((await told)['class'], 'timeout');
        standIn.open(file);
        await standIn.has('answered late');
        assert.equal((await scene.ran('return 1;'))['value'], 1);
        assert.equal(scene.host.types().filter((type) => type === 'tool_completed').length, 3);
      });
    });

  describe('by the person', () => {
    const scene = scriptScenes();

    it('S2 an interrupt stops a script with its step; nothing is stored, and what waited has not run', async () => {
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      await scene.starts(
        `store('k', 1);
         await Promise.all([tools.shell({ command: 'echo begun; exec sleep 60' }), tools.list({ path: '.' })]);
         await tools.shell({ command: 'echo ran > ran.txt' });`,
        {},
        [],
      );
      await scene.host.next('tool_progress');
      const { turn } = await scene.host.next('turn_started');
      const mark = scene.host.mark;
      await scene.host.request('turn/interrupt', { session: scene.session, turn: turn! });
      const told = await scene.result(mark);
      assert.deepEqual([told['error'], told['class']], ['cancelled', 'stopped']);
      const step = await scene.host.next('tool_completed', mark, ({ data }) => data.tool === 'shell');
      assert.equal(
        (step.data.result as { stdout: string }).stdout,
        'begun\n',
        'its step tells what it had done',
      );
      assert.equal(existsSync(join(scene.host.workspace, 'ran.txt')), false);
      assert.equal((await scene.ran(`return load('k') ?? 'nothing';`))['value'], 'nothing');
    });

    it('S2 A8 a script that waits for a verdict is stopped: its request is withdrawn, and says why', async () => {
      await scene.starts(`await tools.shell({ command: 'echo ran > ran.txt' });`);
      const asked = await scene.asked();
      const { turn } = await scene.host.next('turn_started');
      await scene.host.request('turn/interrupt', { session: scene.session, turn: turn! });
      const closed = await scene.host.next('approval_closed');
      assert.deepEqual([closed.data.id, closed.data.parent, closed.data.fate], [asked.id, 'c1', 'withdrawn']);
      const step = await scene.host.next('tool_completed', 0, ({ data }) => data.tool === 'shell');
      assert.match(JSON.stringify(step.data.result), /tools\.shell refused: its turn ended/);
      const refused = await scene.host.refused('approval/answer', {
        approval: asked.id,
        request: asked.request,
        decision: 'allow',
      });
      assert.equal(refused.code, 'approval_withdrawn');
      assert.deepEqual((await scene.host.request('need/list', {})).items, []);
    });

    it('P4 S2 a pull ends a script that computes, tells so, and what it stored is not written', async () => {
      await scene.starts(
        `store('k', 1); text('begun'); await null; await new Promise((go) => setTimeout(go, 80)); for (;;) {}`,
      );
      await scene.host.next('tool_progress');
      const reply = await pull(scene);
      assert.deepEqual(
        reply.ended.map((one) => [one.kind, one.id]),
        [['script', 'c1']],
      );
      assert.deepEqual(reply.stopping, []);
      const told = await scene.result();
      assert.deepEqual(
        [told['error'], told['class'], told['text']],
        ['host_paused', 'host_paused', 'begun\n'],
      );
      const mark = scene.host.mark;
      await release(scene);
      await scene.host.next('turn_ended', mark);
      assert.equal((await scene.ran(`return load('k') ?? 'nothing';`))['value'], 'nothing');
    });

    it('P4 a script in a native that hears nothing is gone before the pull has answered', async () => {
      await scene.starts(
        `text('begun'); await new Promise((go) => setTimeout(go, 80)); [].indexOf.call({ length: 2 ** 53 - 1 }, 1);`,
      );
      await scene.host.next('tool_progress');
      const reply = await pull(scene);
      assert.deepEqual(reply.stopping, []);
      assert.equal((await scene.result())['class'], 'host_paused');
      await release(scene);
      await scene.host.next('turn_ended');
    });

    it('P5 A7 a verdict on a step that is given while paused finds it withdrawn: its script is over', async () => {
      await scene.starts(`await tools.shell({ command: 'echo ran > ran.txt' });`);
      const asked = await scene.asked();
      await pull(scene);
      const refused = await scene.host.refused('approval/answer', {
        approval: asked.id,
        request: asked.request,
        decision: 'allow',
      });
      assert.equal(refused.code, 'approval_withdrawn');
      await release(scene);
      await scene.host.next('turn_ended');
      assert.equal(existsSync(join(scene.host.workspace, 'ran.txt')), false);
    });

    it('T10 R3 a script that ran when the host was lost is told so, its request is gone, nothing runs again', async () => {
      await scene.starts(`store('k', 1); await tools.shell({ command: 'echo ran > ran.txt' });`, {}, []);
      await scene.asked();
      await scene.crash();
      assert.deepEqual((await scene.host.request('need/list', {})).items, []);
      const { items } = await scene.host.request('transcript/read', { session: scene.session });
      assert.equal(items[0]?.code, 'host_lost');
      const call = items[0]?.parts.find((part) => part.kind === 'call' && part.call_id === 'c1');
      assert.match(JSON.stringify(call), /outcome_unknown/);
      assert.equal((await scene.ran(`return load('k') ?? 'nothing';`))['value'], 'nothing');
    });
  });

  describe('by nobody: a message lifts it', () => {
    const scene = scriptScenes();

    it('S7 L1 A8 a steer lifts a running script; it runs on under its handle, its steps and their verdicts listed there', async () => {
      scene.server.script([
        {
          calls: [
            {
              tool: 'exec',
              args: {
                code: `const r = await tools.shell({ command: 'echo allowed' }); store('k', 1); return r.stdout;`,
              },
              id: 's1',
            },
          ],
        },
        { text: 'It waits for you.' },
        { calls: [{ tool: 'wait', args: { handles: ['proc:1'] }, id: 'w1' }] },
        done(),
      ]);
      await scene.say('go');
      const asked = await scene.asked();
      await scene.say('what are you doing');
      const lifted = await scene.host.next('call_lifted');
      assert.equal(lifted.data.waits_for, undefined, 'it runs: nothing of its own waits');
      await scene.host.next('turn_ended');
      const { items } = await scene.host.request('handle/list', { session: scene.session });
      assert.deepEqual(
        items.map((handle) => [handle.kind, handle.state, handle.lifted]),
        [['script', 'running', true]],
      );
      const needs = await scene.host.request('approval/list', { session: scene.session });
      assert.deepEqual(
        needs.items.map((one) => [one.call, one.parent, one.handle]),
        [['s1.1', 's1', 'proc:1']],
      );
      assert.deepEqual(
        scene.host.snapshot?.needs.map((need) => need.kind === 'approval' && need.approval.handle),
        ['proc:1'],
      );
      const mark = scene.host.mark;
      await scene.allow(asked);
      const ended = await scene.host.next('handle_ended', mark);
      assert.equal(ended.data.end, 'completed');
      await scene.host.next('turn_ended', mark);
      const { results } = toldOf(scene.server, 'w1') as { results: Record<string, Record<string, unknown>> };
      assert.equal(results['proc:1']?.['value'], 'allowed\n');
      assert.equal((await scene.ran(`return load('k');`))['value'], 1, 'stored with the end of the handle');
    });

    it('S7 X5 a lifted script is stopped by its handle, with its step', async () => {
      scene.server.script([
        {
          calls: [
            {
              tool: 'exec',
              args: { code: `store('k', 1); await tools.shell({ command: 'echo begun; exec sleep 60' });` },
              id: 's1',
            },
          ],
        },
        done('It runs.'),
        done('Noted.'),
      ]);
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      await scene.say('go');
      await scene.host.next('tool_progress');
      await scene.say('what are you doing');
      await scene.host.next('call_lifted');
      const stopped = await scene.host.request('handle/stop', { handle: 'proc:1' });
      assert.deepEqual([stopped.stopped, stopped.ran], [true, true]);
      const ended = await scene.host.next('handle_ended');
      assert.equal(ended.data.end, 'stopped');
      const step = await scene.host.next('tool_completed', 0, ({ data }) => data.tool === 'shell');
      assert.equal((step.data.result as { error: string }).error, 'stopped');
      await scene.host.next('note_told');
      await scene.host.until(() => (scene.host.snapshot?.sessions[0]?.state === 'idle' ? true : undefined));
      assert.equal((await scene.ran(`return load('k') ?? 'nothing';`))['value'], 'nothing');
    });
  });

  describe('its time', () => {
    const scene = scriptScenes();

    it('S5 the time in which a step waits for the person is not the script’s', async () => {
      await scene.starts(`await tools.shell({ command: 'true' }); return 'in time';`, { timeout_ms: 1_000 });
      const asked = await scene.asked();
      const first = scene.session;
      const { session } = await scene.host.request('session/create', {
        folder: scene.host.workspace,
        agent: { kind: 'model', model: 'local/m1' },
      });
      scene.server.reply((request) =>
        request.items.at(-1)?.role === 'tool'
          ? done()
          : { calls: [{ tool: 'exec', args: { code: `await new Promise((go) => setTimeout(go, 1500));` } }] },
      );
      await scene.host.request('message/send', { session: session.id, text: 'wait a moment' });
      await scene.host.next('turn_ended', 0, (event) => event.session === session.id);
      await scene.allow(asked);
      const completed = await scene.host.next(
        'tool_completed',
        0,
        (event) => event.session === first && event.data.tool === 'exec',
      );
      assert.deepEqual(completed.data.result, { class: 'completed', value: 'in time' });
      await scene.host.next('turn_ended', 0, (event) => event.session === first);
    });

    it('S5 the time in which a step runs is the script’s', async () => {
      await scene.host.request('session/update', { session: scene.session, mode: 'full' });
      scene.server.script([
        {
          calls: [
            {
              tool: 'exec',
              args: { code: `await tools.shell({ command: 'exec sleep 60' });`, timeout_ms: 300 },
              id: 'c1',
            },
            shell('true', {}, 'c2'),
          ],
        },
        done(),
      ]);
      await scene.say('go');
      await scene.host.next('turn_ended');
      assert.equal(toldOf(scene.server, 'c1')['class'], 'timeout');
    });
  });
});
