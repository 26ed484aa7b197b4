import './vscodeStub';
import assert from 'node:assert/strict';
import type { HostStatus } from '../../extension/hostClient';
import { statusModel } from '../../extension/status/statusModel';
import { summarize } from '../../extension/summary';
import type { Snapshot } from '../../protocol';
import { asks, handle, session, snapshot, wonders } from './samples';

describe('the status bar item', () => {
  const ready: HostStatus = { kind: 'ready', readOnly: false, warnings: [] };
  const item = (now: Snapshot | undefined, status: HostStatus = ready): string => {
    const { text, command, loud } = statusModel(status, summarize(now));
    return `${text} | ${command} | ${loud}`;
  };

  it('says the one thing that matters most', () => {
    const busy = [
      session({ state: 'running', turn: 't1' }),
      session({ id: 's2', state: 'paced', turn: 't2' }),
    ];
    assert.equal(item(undefined, { kind: 'stopped' }), '$(shield) Belay | belay.needs.focus | no');
    for (const kind of ['starting', 'restarting'] as const)
      assert.equal(item(undefined, { kind, why: '' }), '$(loading~spin) Belay | belay.needs.focus | no');
    assert.equal(
      item(snapshot({ needs: [asks()] }), { kind: 'restarting', why: '' }),
      '$(bell-dot) Belay 1 | belay.needs.focus | no',
      'what is known of a host that is started again stays',
    );
    assert.equal(item(snapshot()), '$(shield) Belay | belay.needs.focus | no');
    assert.equal(item(snapshot({ sessions: busy })), '$(sync~spin) Belay 2 | belay.needs.focus | no');
    assert.equal(
      item(snapshot({ sessions: busy, needs: [asks(), wonders()] })),
      '$(bell-dot) Belay 2 | belay.needs.focus | no',
    );
    assert.equal(
      item(snapshot({ needs: [asks()], host: { paused: true } })),
      '$(debug-pause) Belay paused | belay.resume | warning',
    );
    assert.equal(
      item(undefined, { kind: 'failed', why: 'x', code: 'host_failed' }),
      '$(error) Belay | belay.restartHost | error',
    );
  });

  it('speaks to a screen reader without codicons', () => {
    const { spoken } = statusModel(ready, summarize(snapshot({ needs: [asks()] })));
    assert.equal(spoken, 'Belay. 1 request waits for you');
  });
});

describe('the summary', () => {
  it('counts what when clauses ask for, archived sessions apart', () => {
    const now = snapshot({
      sessions: [
        session({ state: 'running', turn: 't1' }),
        session({ id: 's2', ended: { turn: 't0', status: 'interrupted', code: 'host_lost', at: 1 } }),
        session({ id: 's3', archived: true }),
      ],
      needs: [asks(), wonders()],
      handles: [handle(), handle({ id: 'proc:8', state: 'ended', end: 'stopped' })],
    });
    assert.deepEqual(summarize(now), {
      approvals: 1,
      questions: 1,
      running: 1,
      sessions: 2,
      cutOff: 1,
      handles: 2,
      openHandles: 1,
      terminals: 0,
      servers: 0,
      paused: false,
    });
  });
});
