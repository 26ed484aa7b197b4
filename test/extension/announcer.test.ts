import './vscodeStub';
import assert from 'node:assert/strict';
import { Announcer, ANNOUNCE_AFTER_MS, DRAWN_WITHIN_MS } from '../../extension/notices/announcer';
import { DOUBLE_CLICK_MS, TreeClicks } from '../../extension/treeClicks';
import { needId } from '../../extension/views/needsModel';
import { FakeClock } from './fakeClock';
import { asks, wonders } from './samples';

describe('the announcer of requests', () => {
  let clock: FakeClock;
  let announced: string[][];
  let visible: boolean;
  let awaited: boolean;
  let wanted: boolean;
  let announcer: Announcer;

  beforeEach(() => {
    clock = new FakeClock();
    announced = [];
    visible = false;
    awaited = false;
    wanted = true;
    announcer = new Announcer({
      clock,
      wanted: () => wanted,
      visible: () => visible,
      awaited: () => awaited,
      announce: (needs) => announced.push(needs.map(needId)),
    });
  });

  it('announces a request once, half a second after it came', () => {
    announcer.follow([asks()]);
    clock.turn(ANNOUNCE_AFTER_MS - 1);
    assert.deepEqual(announced, []);
    clock.turn(1);
    assert.deepEqual(announced, [['a1']]);
    announcer.follow([asks()]);
    clock.turn(60_000);
    assert.deepEqual(announced, [['a1']]);
  });

  it('is silent about what was answered before', () => {
    announcer.follow([asks()]);
    clock.turn(400);
    announcer.follow([]);
    clock.turn(1_000);
    assert.deepEqual(announced, []);
  });

  it('makes one of several', () => {
    announcer.follow([asks({ id: 'a1' })]);
    clock.turn(200);
    announcer.follow([asks({ id: 'a1' }), asks({ id: 'a2' }), wonders()]);
    clock.turn(300);
    assert.deepEqual(announced, [['a1', 'a2', 'q1']]);
  });

  it('is silent about what can be seen already, and does not make up for it later', () => {
    visible = true;
    announcer.follow([asks()]);
    clock.turn(500);
    visible = false;
    announcer.follow([asks()]);
    clock.turn(60_000);
    assert.deepEqual(announced, []);
  });

  it('R11 waits for a view in front of the person to say that it draws it, and announces what none has drawn', () => {
    awaited = true;
    announcer.follow([asks({ id: 'a1' }), asks({ id: 'a2' })]);
    clock.turn(ANNOUNCE_AFTER_MS);
    announcer.follow([asks({ id: 'a2' })]);
    clock.turn(DRAWN_WITHIN_MS - 1);
    assert.deepEqual(announced, []);
    clock.turn(1);
    assert.deepEqual(announced, [['a2']], 'a1 was answered meanwhile');
    announcer.follow([asks({ id: 'a2' }), asks({ id: 'a3' })]);
    clock.turn(ANNOUNCE_AFTER_MS);
    visible = true;
    clock.turn(60_000);
    assert.deepEqual(announced, [['a2']]);
    assert.equal(clock.pending, 0);
  });

  it('announces a request that is asked again, because it is another one', () => {
    announcer.follow([asks({ request: 1 })]);
    clock.turn(500);
    announcer.follow([asks({ request: 2 })]);
    clock.turn(500);
    assert.deepEqual(announced, [['a1'], ['a1']]);
  });

  it('obeys the setting, and leaves no timer behind', () => {
    wanted = false;
    announcer.follow([asks()]);
    clock.turn(500);
    assert.deepEqual(announced, []);
    wanted = true;
    awaited = true;
    announcer.follow([asks({ id: 'a2' })]);
    clock.turn(500);
    announcer.follow([asks({ id: 'a2' }), asks({ id: 'a3' })]);
    announcer.dispose();
    assert.equal(clock.pending, 0);
  });
});

describe('clicks on the rows of a tree', () => {
  it('count, but for the second half of a double click that hits the row that has moved up', () => {
    const clock = new FakeClock();
    const clicks = new TreeClicks(clock);
    assert.ok(clicks.counts('need/a1'));
    clock.turn(DOUBLE_CLICK_MS - 1);
    assert.ok(!clicks.counts('need/a2'));
    assert.ok(clicks.counts('need/a1'), 'the host tells two clicks on one request apart');
    clock.turn(DOUBLE_CLICK_MS);
    assert.ok(clicks.counts('need/a2'));
  });
});
