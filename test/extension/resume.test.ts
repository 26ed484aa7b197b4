/** The dialog of Resume: what the pause has ended, and what will start. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import type { Belay } from '../../extension/belay';
import { resume } from '../../extension/commands/resume';
import { connected, type Connected } from './connected';

describe('Resume', () => {
  let one: Connected;

  beforeEach(() => {
    one = connected();
    editor.messages = [];
    editor.answers = [];
  });
  afterEach(() => one.close());

  it('P5 P7 names what was allowed while paused under the turn in which it starts, with who allowed it', async () => {
    one.host.answer('host/status', () => ({
      host: { paused: true, epoch: 1, ended: [], quiet: true, readOnly: false, trusted: true },
      windows: [],
      starting: [
        { kind: 'call', id: 'proc:7', title: 'npm install', by: 'you from the chat' },
        { kind: 'turn', id: 't1', title: 'Fix login' },
        { kind: 'call', id: 'c1', title: 'Edit src/cart.js', turn: 't1', by: 'you from the tree' },
        { kind: 'call', id: 'c2', title: 'Read src/cart.js', turn: 't1' },
      ],
    }));
    await one.client.start();
    await resume({ host: one.client } as unknown as Belay, undefined);
    assert.deepEqual(editor.messages[0]?.detail.split('\n'), [
      'Starts now:',
      '• npm install, allowed by you from the chat',
      '• The turn of "Fix login" goes on',
      '    – Edit src/cart.js, allowed by you from the tree',
      '    – Read src/cart.js',
    ]);
  });
});
