import './vscodeStub';
import assert from 'node:assert/strict';
import type { BelayEvent } from '../../protocol';
import { deedOf } from '../../extension/deeds';
import { CONTEXT } from '../../extension/ids';

const event = (type: string, data: object): BelayEvent => ({ seq: 1, at: 0, type, data }) as never;

describe('the steps of the walkthrough', () => {
  it('count an answer wherever a person gave it, and none that a rule gave', () => {
    for (const by of ['you from the chat', 'you from the tree', 'you from the notification'])
      assert.equal(deedOf(event('approval_answered', { by, decision: 'deny' })), CONTEXT.answered);
    for (const by of ['rule r1', 'lapse', 'the agent'])
      assert.equal(deedOf(event('approval_answered', { by, decision: 'allow' })), undefined);
  });

  it('count a message that a turn at work has read, and none that began a turn', () => {
    assert.equal(deedOf(event('message_read', { step: 2 })), CONTEXT.steered);
    assert.equal(deedOf(event('message_read', { step: 0 })), undefined);
    assert.equal(deedOf(event('turn_started', {})), undefined);
  });
});
