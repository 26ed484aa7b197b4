import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nextDelivery, type DeliveryLook } from '../../host/engine/questions/delivery';
import { canonical, unclaimed } from '../../host/engine/questions/identity';
import { waitPlan } from '../../host/engine/questions/waitPolicy';
import { toolWay } from '../../host/engine/questions/ways';
import type { CallRecord } from '../../host/engine/records';

describe('where a client’s call goes next', () => {
  const look = fc.record<DeliveryLook>({
    open: fc.boolean(),
    delivered: fc.boolean(),
    person: fc.boolean(),
    taken: fc.boolean(),
    held: fc.boolean(),
    owner: fc.option(fc.constantFrom('w1', 'w2'), { nil: undefined }),
    goneSince: fc.nat(100),
    graceMs: fc.nat(100),
    now: fc.nat(300),
  });

  it('C2 is total: handed over only to an owner that is there, unserved only without a person and after the grace', () => {
    fc.assert(
      fc.property(look, (at) => {
        const next = nextDelivery(at);
        switch (next.kind) {
          case 'hand_over':
            return next.owner === at.owner && at.open && !at.taken && !at.held;
          case 'unserved':
            return at.owner === undefined && !at.person && !at.held && at.now >= at.goneSince + at.graceMs;
          case 'grace':
            return next.until > at.now && !at.person && at.owner === undefined;
          case 'wait':
            return !at.open || !at.delivered || at.taken || at.held || (at.person && at.owner === undefined);
        }
      }),
    );
  });
});

describe('what becomes of an outside agent’s call that waits', () => {
  it('C5 C6 is a closed set: only a hold has a time, the harness’s own less 10 s', () => {
    assert.deepEqual(waitPlan('hold', undefined), { kind: 'hold', ms: undefined });
    assert.deepEqual(waitPlan('hold', 300_000), { kind: 'hold', ms: 290_000 });
    assert.deepEqual(waitPlan('hold', 10_000), { kind: 'acknowledge' });
    assert.deepEqual(waitPlan('acknowledge', 300_000), { kind: 'acknowledge' });
    assert.deepEqual(waitPlan('defer', undefined), { kind: 'park' });
    assert.deepEqual(waitPlan('native', undefined), { kind: 'park' });
  });

  it('C2 C3 the first tested way is taken, and a place without one is refused', () => {
    assert.equal(toolWay({ place: 'local', ways: ['native', 'mcpHttp'] }), 'native');
    assert.equal(toolWay({ place: 'local', ways: ['mcpStdio', 'mcpHttp'] }), 'http');
    assert.equal(toolWay({ place: 'local', ways: ['mcpStdio'] }), 'socket');
    assert.equal(toolWay({ place: 'sharedFolder', ways: ['mcpStdio', 'mcpHttp'] }), 'relay');
    assert.equal(toolWay({ place: 'sharedFolder', ways: ['mcpHttp'] }), undefined);
    assert.equal(toolWay({ place: 'elsewhere', ways: ['mcpHttp', 'mcpStdio'] }), undefined);
    assert.equal(toolWay({ place: 'local', ways: [] }), undefined);
  });

  it('C7 arguments are the same in any order of their keys, and none are an empty object', () => {
    assert.equal(canonical({ b: [{ d: 1, c: 2 }], a: null }), canonical({ a: null, b: [{ c: 2, d: 1 }] }));
    assert.equal(canonical(undefined), canonical({}));
    assert.notEqual(canonical([1, 2]), canonical([2, 1]));
  });

  it('C7 two identical calls take the first, then the second, then none', () => {
    const call = (id: string, args: unknown): CallRecord =>
      ({ call: id, tool: 'ask', status: 'planned', prepared: { args } }) as unknown as CallRecord;
    const calls = [
      call('x', { question: 'other' }),
      call('a', { question: 'q' }),
      call('b', { question: 'q' }),
    ];
    const claimed = new Set<string>();
    const taken = [1, 2, 3].map(() => {
      const found = unclaimed(calls, claimed, 'ask', { question: 'q' });
      if (found !== undefined) claimed.add(found.call);
      return found?.call;
    });
    assert.deepEqual(taken, ['a', 'b', undefined]);
    assert.equal(unclaimed(calls, new Set(), 'pick', { question: 'q' }), undefined);
  });
});
