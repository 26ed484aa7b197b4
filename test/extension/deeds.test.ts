import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { BelayEvent } from '../../protocol';
import { Deeds, deedOf } from '../../extension/deeds';

const event = (type: string, data: object): BelayEvent => ({ seq: 1, at: 0, type, data }) as never;

describe('the steps of the walkthrough', () => {
  it('count an answer wherever a person gave it, and none that a rule gave', () => {
    for (const by of ['you from the chat', 'you from the tree', 'you from the notification'])
      assert.equal(deedOf(event('approval_answered', { by, decision: 'deny' })), 'approve');
    for (const by of ['rule r1', 'lapse', 'the agent'])
      assert.equal(deedOf(event('approval_answered', { by, decision: 'allow' })), undefined);
  });

  it('count a message that a turn at work has read, and none that began a turn', () => {
    assert.equal(deedOf(event('message_read', { step: 2 })), 'steer');
    assert.equal(deedOf(event('message_read', { step: 0 })), undefined);
    assert.equal(deedOf(event('turn_started', {})), undefined);
  });

  it('are marked once in VS Code, by a window or by a later one, so that what a person takes back stays so', () => {
    const kept = new Map<string, unknown>();
    const memory = {
      keys: () => [...kept.keys()],
      get: (key: string, other: unknown) => kept.get(key) ?? other,
      update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
    };
    const marked = () => editor.ran.filter(([command]) => command === 'welcome.markStepComplete');
    editor.ran = [];
    for (let window = 0; window < 2; window++) {
      const deeds = new Deeds(memory as never, 'a.b');
      deeds.did('pause');
      deeds.did(undefined);
      deeds.did('pause');
    }
    assert.deepEqual(marked(), [['welcome.markStepComplete', 'a.b#belay.start#pause']]);
  });
});
