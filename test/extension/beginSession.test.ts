/** New session: looking around leaves no empty sessions behind. */
import './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { beginSession } from '../../extension/commands/beginSession';
import { SnapshotStore } from '../../extension/state';
import { connected, type Connected } from './connected';
import { session, snapshot } from './samples';
import { FakeClock } from './fakeClock';

describe('a session that is begun', () => {
  let one: Connected;
  let shown: unknown[];

  beforeEach(() => {
    one = connected();
    shown = [];
  });
  afterEach(() => one.close());

  const MODEL = { kind: 'model', model: 'local/m1' } as const;

  /** What was asked of the host, with these sessions there. */
  async function begun(
    parts: Parameters<typeof snapshot>[0],
    agent: Parameters<typeof beginSession>[2],
  ): Promise<readonly (string | undefined)[]> {
    one.host.snapshot = snapshot(parts);
    one.host.answer('session/create', () => ({ session: session({ id: 'new' }) }));
    const state = new SnapshotStore(one.client, () => undefined, new FakeClock());
    const belay = {
      host: one.client,
      state,
      settings: { defaultMode: () => 'ask' },
      chat: { show: (id: unknown) => Promise.resolve(void shown.push(id)) },
    } as unknown as Belay;
    await beginSession(belay, '/w', agent);
    return one.host.heard
      .map(({ method }) => method)
      .filter((method) => method?.startsWith('session/') === true);
  }

  it('is the empty one that is there already', async () => {
    assert.deepEqual(await begun({ sessions: [session({ title: '' })] }, MODEL), []);
    assert.deepEqual(shown, ['s1']);
  });

  it('R6 is a new one for another agent, or its other model: what is written in the empty one stays as it is', async () => {
    const codex = { kind: 'harness', harness: 'codex' } as const;
    const sessions = [session({ title: '' }), session({ id: 's2', title: '', agent: codex })];
    assert.deepEqual(await begun({ sessions }, { ...codex, model: 'o9' }), ['session/create']);
    assert.deepEqual(shown, ['new']);
  });

  it('is a new one where something was said or set in all others, or they are of another folder', async () => {
    const sessions = [
      session({ id: 'said' }),
      session({ id: 'open', title: '', turn: 't1', state: 'running' }),
      session({ id: 'picture', title: '' }),
      session({ id: 'put away', title: '', archived: true }),
      session({ id: 'free', title: '', mode: 'full' }),
      session({ id: 'told', title: '', instructions: 'be short' }),
      session({ id: 'elsewhere', title: '', folder: '/other' }),
    ];
    const unread = [{ session: 'picture' }] as unknown as ReturnType<typeof snapshot>['unread'];
    assert.deepEqual(await begun({ sessions, unread }, MODEL), ['session/create']);
    assert.deepEqual(shown, ['new']);
  });
});
