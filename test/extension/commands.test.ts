import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { nextRequest } from '../../extension/commands/nextRequest';
import { restartHost } from '../../extension/commands/restartHost';
import { followHostNotices } from '../../extension/notices/hostNotice';
import { COMMANDS } from '../../extension/ids';
import { SnapshotStore } from '../../extension/state';
import { connected, type Connected } from './connected';
import { FakeClock } from './fakeClock';
import { asks, session, snapshot } from './samples';

describe('a command', () => {
  let one: Connected;
  let state: SnapshotStore;

  const begin = async (...parts: Parameters<typeof snapshot>): Promise<void> => {
    one.host.snapshot = snapshot(...parts);
    await one.client.start();
    await state.known();
  };

  beforeEach(() => {
    one = connected();
    state = new SnapshotStore(one.client, () => undefined);
    editor.messages = [];
    editor.ran = [];
    editor.answers = [];
  });
  afterEach(() => one.close());

  it('that goes to the next request goes on from the row that has the focus, and goes to the one that is named', async () => {
    await begin({ needs: [asks(), asks({ id: 'a2' })] });
    const asked: (readonly [unknown, unknown])[] = [];
    const needs = {
      reveal: (id: unknown, last: unknown) => {
        asked.push([id, last]);
        return Promise.resolve(`after ${String(last)}`);
      },
    };
    const belay = { host: one.client, state, needs } as unknown as Belay;
    await nextRequest(belay, { approval: 'a2' });
    const row = { subject: { approval: 'a1' }, row: { id: 'need/a1' }, children: [] };
    await nextRequest(belay, row);
    await nextRequest(belay, row);
    const [[named] = [], [first, from] = [], [second, next] = []] = asked;
    assert.deepEqual([named, first, second], ['a2', undefined, undefined]);
    assert.equal(next, `after ${String(from)}`);
  });

  it('R5 that restarts the host asks first when a turn is at work, also beside a request that was lifted', async () => {
    await begin({
      sessions: [session({ state: 'running' })],
      needs: [asks({ handle: 'proc:7' })],
    });
    await restartHost({ host: one.client, state } as unknown as Belay);
    assert.match(editor.messages[0]?.detail ?? '', /Fix login/);
    assert.equal(one.client.status.kind, 'ready');
    assert.equal(one.host.terminated, false);
  });

  it('R5 of an old notification asks as well: it is the command itself that its button runs', async () => {
    editor.answers = ['Restart'];
    const following = followHostNotices({ host: one.client, state } as unknown as Belay, new FakeClock());
    await begin({ sessions: [session({ state: 'running' })] });
    one.host.crash('It fell over.');
    await editor.run(COMMANDS.restartHost);
    following.dispose();
  });
});
