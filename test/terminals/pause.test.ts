/** The cord and terminals: none starts behind a pull, and those that run are ended (P1 to P4, P7). */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CordPulled, type Launch } from '../../host/base/launch';
import { done, scenes, toldOf } from '../support/scene';
import { Desk, free as always } from './desk';
import { ended, free, open, ptyHosts, terminal, View } from './support';

describe('the cord and the terminals of a whole host', function () {
  this.timeout(20_000);
  const scene = scenes({ settings: { handles: { wakeIdleSession: false } } });
  beforeEach(() => free(scene));

  it('P4 X7 a pause ends what runs on a terminal, and says so with the output so far', async () => {
    const call = terminal({ command: 'echo so far; sleep 1000', yield_ms: 30_000 });
    scene.server.script([{ calls: [call] }, done()]);
    await scene.say('go');
    const { handle } = (await scene.host.next('handle_started')).data;
    const view = await View.attach(scene.host, handle);
    await view.shows('so far');
    const paused = await scene.host.request('host/pause', { by: 'test' });
    assert.deepEqual(paused.ended, [{ kind: 'terminal', id: call.id, title: 'echo so far; sleep 1000' }]);
    assert.equal((await ended(scene.host, handle)).data.end, 'host_paused');
    await view.ended();
    const refused = await scene.host.refused('handle/write', { handle, text: 'x' });
    assert.equal(refused.code, 'handle_ended');
    await scene.host.request('host/resume', { by: 'test' });
    await scene.host.next('turn_ended');
    const told = toldOf(scene.server, call.id);
    assert.deepEqual([told['error'], told['output']], ['host_paused', 'so far\n']);
  });

  it('P1 a person can type nothing, and open nothing, while everything is paused', async () => {
    const handle = await open(scene, {
      command: 'trap "" INT TERM; echo up; while read x; do :; done; sleep 1000',
    });
    const view = await View.attach(scene.host, handle);
    await view.shows('up');
    await scene.host.request('host/pause', { by: 'test' });
    const refused = await scene.host.refused('handle/write', { handle, text: 'x\r' });
    assert.ok(refused.code === 'host_paused' || refused.code === 'handle_ended');
    await scene.host.next('host_quiet');
    assert.equal((await scene.host.request('handle/list', { state: 'open' })).items.length, 0);
    await scene.host.request('host/resume', { by: 'test' });
  });

  it('P3 a pause while the PTY host comes up: no child is ever started', async () => {
    const sign = join(scene.host.workspace, 'started');
    const call = terminal({ command: `touch ${sign}` });
    scene.server.script([{ calls: [call] }, done()]);
    await scene.say('go');
    await scene.host.next('handle_started');
    await scene.host.request('host/pause', { by: 'test' });
    assert.equal((await ended(scene.host, 'proc:1')).data.end, 'host_paused');
    await scene.host.request('host/resume', { by: 'test' });
    await scene.host.next('turn_ended');
    assert.equal(toldOf(scene.server, call.id)['error'], 'host_paused');
    assert.ok(!existsSync(sign));
    const entry = (await scene.host.request('audit/list', {})).items.find((one) => one.call === call.id);
    assert.deepEqual([entry?.outcome, entry?.ran], ['host_paused', false]);
    const again = terminal({ command: `touch ${sign}` });
    scene.server.script([{ calls: [again] }, done()]);
    const mark = scene.host.mark;
    await scene.say('again');
    await scene.host.next('turn_ended', mark);
    assert.ok(existsSync(sign), 'a start that is decided after the release does start');
  });
});

describe('each step of a terminal’s preparation', function () {
  this.timeout(20_000);
  let desk: Desk;
  afterEach(() => desk.close());

  /** A cord that a test pulls, and how often something asked it. */
  const cord = () => {
    const state = { pulled: false, asked: 0 };
    const launch: Launch = (effect) => {
      state.asked += 1;
      if (state.pulled) throw new CordPulled();
      return effect();
    };
    return { state, launch };
  };

  it('P3 the wait for a place: stopped there, it never starts, and leaves no entry in the line', async () => {
    desk = await Desk.open({ places: 1 });
    const first = desk.start('echo up; exec sleep 1000');
    await first.says('up');
    const { state, launch } = cord();
    const second = desk.start('touch second', launch);
    const third = desk.start('touch third');
    assert.deepEqual(await second.run.stop('host_paused'), { stopped: true, survivors: [] });
    assert.equal((await second.run.done).ran, false);
    await first.run.stop('stopped');
    assert.equal((await third.run.done).output['exit_code'], 0, 'the place goes to the next');
    assert.equal(state.asked, 0);
    assert.ok(!existsSync(join(desk.folder, 'second')));
  });

  it('P3 the start of the PTY host: pulled before it, nothing is forked; pulled during it, nothing is opened', async () => {
    desk = await Desk.open();
    const { state, launch } = cord();
    state.pulled = true;
    const refused = desk.start('touch refused', launch);
    assert.deepEqual([(await refused.run.done).output['error'], desk.alive()], ['host_paused', []]);
    state.pulled = false;
    const starting = desk.start('touch starting', launch);
    const asked = state.asked;
    state.pulled = true;
    await starting.run.stop('host_paused');
    assert.equal((await starting.run.done).ran, false);
    state.pulled = false;
    assert.equal((await desk.run('true')).output['exit_code'], 0);
    assert.ok(asked > 0);
    assert.ok(!existsSync(join(desk.folder, 'starting')));
  });

  it('P2 P3 the start itself: a PTY host that has not seen the request yet never acts upon it', async () => {
    desk = await Desk.open();
    await desk.run('true');
    const [pid] = ptyHosts().filter((one) => desk.alive().includes(one));
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGSTOP');
    const opening = desk.start('touch opening');
    // The request has left when the next turn of the loop begins.
    await new Promise((resolve) => setImmediate(resolve));
    desk.epoch += 1;
    const stop = opening.run.stop('host_paused');
    process.kill(pid, 'SIGCONT');
    assert.deepEqual(await stop, { stopped: true, survivors: [] });
    assert.equal((await opening.run.done).ran, false);
    assert.equal((await desk.run('true')).output['exit_code'], 0, 'the same PTY host goes on');
    assert.ok(desk.alive().includes(pid));
    assert.ok(!existsSync(join(desk.folder, 'opening')));
  });

  it('P2 a PTY host that does not answer a pull is ended after 250 ms, and has started nothing', async () => {
    desk = await Desk.open();
    await desk.run('true');
    const [pid] = ptyHosts().filter((one) => desk.alive().includes(one));
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGSTOP');
    const opening = desk.start('touch deaf');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await opening.run.stop('host_paused'), { stopped: true, survivors: [] });
    assert.equal((await opening.run.done).ran, false);
    assert.ok(!desk.alive().includes(pid));
    assert.equal((await desk.run('true')).output['exit_code'], 0, 'the next terminal has a new one');
    assert.ok(!existsSync(join(desk.folder, 'deaf')));
  });

  it('P2 what was decided under an older epoch is refused by the PTY host itself', async () => {
    desk = await Desk.open();
    desk.epoch = 5;
    await desk.run('true');
    desk.epoch = 4;
    const old = await desk.start('touch old', always).run.done;
    assert.deepEqual([old.output['error'], old.ran], ['host_paused', false]);
    assert.ok(!existsSync(join(desk.folder, 'old')));
  });

  it('X6 a PTY host that dies: its terminals are lost with all that ran on them, and the next starts another', async () => {
    desk = await Desk.open();
    const started = desk.start('nohup setsid sleep 1000 & trap "" HUP; echo up; sleep 1000');
    await started.says('up');
    const [pid] = ptyHosts().filter((one) => desk.alive().includes(one));
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    const { output, end } = await started.run.done;
    assert.deepEqual([output['error'], end?.end], ['lost', 'lost']);
    assert.match(started.text, /up/);
    assert.ok(desk.alive().every((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('watchdog')));
    assert.equal((await desk.run('true')).output['exit_code'], 0);
  });
});
