import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Emitter } from 'vscode-jsonrpc';
import { KeptFile } from '../../extension/keptFile';
import { EndAnnouncer, GATHER_MS, type EndsKept } from '../../extension/notices/endAnnouncer';
import { followEnds } from '../../extension/notices/endNotice';
import { Unseen } from '../../extension/unseen';
import { sessionRows } from '../../extension/views/sessionsModel';
import type { Session, Snapshot } from '../../protocol';
import { FakeClock } from './fakeClock';
import { NOW, session, snapshot } from './samples';

type Status = 'completed' | 'failed' | 'interrupted';

const runs = (id: string): Session => session({ id, title: id, state: 'running', turn: 't2' });
const ends = (id: string, status: Status = 'completed', code?: string, at = NOW): Session =>
  session({ id, title: id, ended: { turn: 't2', status, at, ...(code === undefined ? {} : { code }) } });
const now = (...sessions: Session[]): Snapshot => snapshot({ sessions });

describe('the announcer of ends', () => {
  let clock: FakeClock;
  let announced: string[][];
  let visible: Set<string>;
  let kept: EndsKept | undefined;
  let announcer: EndAnnouncer;

  const open = (given?: EndsKept) =>
    new EndAnnouncer(
      {
        clock,
        visible: (one) => visible.has(one),
        announce: (sessions) => announced.push(sessions.map(({ id }) => id)),
        keep: (value) => (kept = value),
      },
      given,
    );
  const unseen = (of = announcer) => [...of.unseen];

  beforeEach(() => {
    clock = new FakeClock();
    announced = [];
    visible = new Set();
    kept = undefined;
    announcer = open();
  });

  it('announces several ends of one moment together, once, and marks them until they are looked at', () => {
    announcer.follow(now(runs('a'), runs('b'), ends('old')));
    announcer.follow(now(ends('a'), runs('b'), ends('old')));
    announcer.follow(now(ends('a'), ends('b', 'failed', 'model_refused'), ends('old')));
    clock.turn(GATHER_MS);
    assert.deepEqual([announced, unseen()], [[['a', 'b']], ['a', 'b']]);
    announcer.follow(now(ends('a'), ends('b', 'failed', 'model_refused'), ends('old')));
    clock.turn(60_000);
    assert.equal(announced.length, 1);
    visible.add('a');
    announcer.look();
    assert.deepEqual(unseen(), ['b']);
    announcer.follow(now(ends('a')));
    assert.deepEqual(unseen(), [], 'a session that is deleted is not marked any more');
  });

  it('is silent about what is in front of the person, what they have stopped, and what goes on', () => {
    announcer.follow(now(runs('seen'), runs('stopped'), runs('lost'), runs('goes-on')));
    visible.add('seen');
    announcer.follow(
      now(
        ends('seen'),
        ends('stopped', 'interrupted', 'cancelled'),
        ends('lost', 'interrupted', 'host_lost'),
        ends('goes-on'),
      ),
    );
    announcer.follow(
      now(ends('seen'), ends('stopped'), ends('lost', 'interrupted', 'host_lost'), runs('goes-on')),
    );
    clock.turn(GATHER_MS);
    assert.deepEqual(announced, [['lost']]);
    assert.ok(!unseen().includes('seen') && !unseen().includes('stopped'));
  });

  it('R6 marks are kept over a restart, which announces what has ended meanwhile and nothing older', () => {
    announcer.follow(now(runs('a'), runs('b')));
    announcer.follow(now(ends('a'), runs('b')));
    const next = open(kept);
    assert.deepEqual(unseen(next), ['a']);
    next.follow(now(ends('a'), ends('b', 'interrupted', 'host_lost', NOW + 1), ends('old')));
    clock.turn(GATHER_MS);
    assert.deepEqual(announced.at(-1), ['b']);
    assert.deepEqual(unseen(next), ['a', 'b']);
  });

  it('a mark stands in the row of its session, in a shape and in words', () => {
    const [row] = sessionRows(now(ends('a')), NOW, (one) => one === 'a');
    assert.match(row?.description ?? '', /^● .* done/);
    assert.match(row?.spoken ?? '', /not looked at yet/);
  });
});

describe('the notification of an end', () => {
  let folder: string;
  let file: KeptFile;
  let changed: Emitter<{ snapshot: Snapshot | undefined }>;
  let clock: FakeClock;
  let startedAt: number;
  let wanted: boolean;
  let followed: { dispose(): unknown };
  let current: Snapshot | undefined;
  /** Turns that the host does not know, and what was noted of them. */
  const gone = new Set<string>();
  let debugged: string[];
  const unseen = new Unseen();

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'belay-ends-'));
    changed = new Emitter();
    clock = new FakeClock();
    startedAt = NOW - 10_000;
    wanted = true;
    editor.messages = [];
    editor.answers.length = 0;
    editor.ran = [];
    gone.clear();
    debugged = [];
    const request = (method: string, { turn }: { turn?: string }) => {
      if (turn !== undefined && gone.has(turn)) return Promise.reject(new Error('unknown'));
      return Promise.resolve(
        method === 'turn/get'
          ? {
              turn: {
                startedAt,
                ...(current?.sessions[0]?.ended?.status === 'failed' ? { detail: 'It broke.' } : {}),
              },
            }
          : { items: [{ parts: [{ kind: 'text', text: 'First.\nAll tests pass.\n' }] }] },
      );
    };
    const belay = {
      host: { request },
      state: {
        get current() {
          return current;
        },
        onChange: changed.event,
      },
      chat: { shows: () => false, onSeen: new Emitter<void>().event },
      settings: { notifiesEnds: () => wanted },
      log: { debug: (text: string) => debugged.push(text) },
      unseen,
    };
    current = now(runs('a'), runs('b'));
    file = new KeptFile(join(folder, 'ends.json'));
    followed = followEnds(belay as never, clock, file);
    const first = new Promise<void>((resolve) => {
      const listening = unseen.onChange(() => {
        listening.dispose();
        resolve();
      });
    });
    await first;
  });

  afterEach(async () => {
    followed.dispose();
    assert.equal(debugged.length, gone.size);
    // What it is still writing would bring the folder back.
    await file.get();
    rmSync(folder, { recursive: true, force: true });
  });

  async function over(...sessions: Session[]): Promise<typeof editor.messages> {
    current = now(...sessions);
    changed.fire({ snapshot: current });
    clock.turn(GATHER_MS);
    await new Promise((resolve) => setImmediate(resolve));
    return editor.messages;
  }

  it('says who is done and the last line, and leads there', async () => {
    editor.answers.push('Show');
    const [shown] = await over(ends('a'), runs('b'));
    assert.deepEqual([shown?.text, shown?.buttons], ['a is done. All tests pass.', ['Show']]);
    await editor.run('belay.session.open');
    assert.ok(unseen.has('a') && !unseen.has('b'));
  });

  it('R11 says why one has failed, and offers to go on', async () => {
    const [shown] = await over(ends('a', 'failed', 'model_refused'), runs('b'));
    assert.deepEqual([shown?.text, shown?.buttons], ['a has failed. It broke.', ['Continue', 'Show']]);
  });

  it('is one for several, and counts what went badly', async () => {
    const shown = await over(ends('a'), ends('b', 'interrupted', 'host_lost'));
    assert.deepEqual(
      shown.map(({ text }) => text),
      ['2 sessions have ended, 1 of them failed or were cut off.'],
    );
  });

  it('R10 is there although another session that has ended cannot be asked for: it was deleted meanwhile', async () => {
    gone.add('t9');
    const b = session({ id: 'b', title: 'b', ended: { turn: 't9', status: 'completed', at: NOW } });
    const shown = await over(ends('a'), b);
    assert.deepEqual(
      shown.map(({ text }) => text),
      ['a is done. All tests pass.'],
    );
  });

  it('is none for a turn of less than ten seconds, nor for a person who wants none; the mark stays', async () => {
    startedAt = NOW - 9_999;
    assert.deepEqual(await over(ends('a'), runs('b')), []);
    startedAt = 0;
    wanted = false;
    assert.deepEqual(await over(ends('a'), ends('b')), []);
    assert.ok(unseen.has('a') && unseen.has('b'));
  });
});
