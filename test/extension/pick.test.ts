/** The quick pick of requests, while requests come and go: Enter decides about what the person has read. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { Emitter } from 'vscode-jsonrpc';
import type { Belay } from '../../extension/belay';
import { pickApproval, type PickedApproval } from '../../extension/commands/pickNeed';
import type { Need, Snapshot } from '../../protocol';
import { FakeClock } from './fakeClock';
import { asks, snapshot } from './samples';

interface Opened {
  readonly clock: FakeClock;
  readonly become: (...needs: Need[]) => void;
  readonly choice: Promise<PickedApproval | undefined>;
}

async function open(...needs: Need[]): Promise<Opened> {
  const clock = new FakeClock();
  const changed = new Emitter<{ snapshot: Snapshot }>();
  const state = {
    current: snapshot({ needs }),
    known: () => Promise.resolve(),
    onChange: changed.event,
  };
  const become = (...now: Need[]): void => {
    state.current = snapshot({ needs: now });
    changed.fire({ snapshot: state.current });
  };
  const belay = { host: { start: () => Promise.resolve() }, state } as unknown as Belay;
  const choice = pickApproval(belay, 'Allow which request?', true, clock);
  await new Promise(setImmediate);
  return { clock, become, choice };
}

const titled = (id: string): Need =>
  asks({ id, title: id, preview: { kind: 'command', command: id, folder: '/w' } });
const active = (): string[] => editor.pick.activeItems.map((item) => (item as PickedApproval).approval.id);

function moveTo(place: number): void {
  editor.pick.activeItems = editor.pick.items.slice(place, place + 1);
}

describe('the quick pick of requests', () => {
  const [a1, a2, a3] = [titled('a1'), titled('a2'), titled('a3')];

  it('A1 stays on the request that the person has moved to, whatever else happens', async () => {
    const { clock, become, choice } = await open(a1, a2, a3);
    moveTo(2);
    become(a1, a2, a3);
    assert.deepEqual(active(), ['a3'], 'an event that changes no request');
    editor.pick.enter();
    assert.equal((await choice)?.approval.id, 'a3', 'and Enter counts at once');

    const other = await open(a1, a2, a3);
    moveTo(1);
    other.become(a2, a3, titled('a4'));
    assert.deepEqual(active(), ['a2'], 'one that ended, and one that came');
    other.clock.turn(500);
    editor.pick.enter();
    assert.equal((await other.choice)?.approval.id, 'a2');
    assert.equal(clock.pending, 0);
  });

  it('A1 takes no Enter in the moment in which the list has changed', async () => {
    const { clock, become, choice } = await open(a1, a2);
    become(a2);
    editor.pick.enter();
    clock.turn(499);
    editor.pick.enter();
    let chosen = false;
    void choice.then(() => (chosen = true));
    await new Promise(setImmediate);
    assert.ok(!chosen, 'it was meant for the one that went');
    clock.turn(1);
    editor.pick.enter();
    assert.equal((await choice)?.approval.id, 'a2');
  });

  it('A4 a request that is announced again under its id is another one', async () => {
    const { become, choice } = await open(a1);
    become(asks({ id: 'a1', request: 2, title: 'other' }));
    editor.pick.enter();
    let chosen = false;
    void choice.then(() => (chosen = true));
    await new Promise(setImmediate);
    assert.ok(!chosen);
  });
});
