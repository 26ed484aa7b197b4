/** What the editor says of the host and of servers is what they do, in both languages. */
import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Belay } from '../../extension/belay';
import { askConsent } from '../../extension/commands/servers';
import type { HostStatus } from '../../extension/hostClient';
import { by } from '../../extension/ids';
import { followHostNotices } from '../../extension/notices/hostNotice';
import type { Server } from '../../protocol';
import { FakeClock } from './fakeClock';
import { snapshot } from './samples';

const german = JSON.parse(
  readFileSync(join(__dirname, '../../l10n/bundle.l10n.de.json'), 'utf8'),
) as Readonly<Record<string, string>>;

describe('what the editor says', () => {
  beforeEach(() => {
    editor.messages = [];
  });

  it('D4 a window that can only read is told that it takes over by itself, and offered no restart', () => {
    let tell: (status: HostStatus) => void = () => assert.fail('nobody listens');
    const clock = new FakeClock();
    const belay = {
      host: {
        onStatus: (listener: (status: HostStatus) => void) => {
          tell = listener;
          return { dispose: () => undefined };
        },
      },
      state: { current: snapshot({ host: { readOnly: true } }) },
    } as unknown as Belay;
    const following = followHostNotices(belay, clock);
    tell({ kind: 'ready', readOnly: true, warnings: [] });
    clock.turn(60_000);
    following.dispose();
    const [shown] = editor.messages;
    assert.match(shown?.text ?? '', /takes over by itself/);
    assert.deepEqual(shown?.buttons, ['Show log']);
    assert.match(german[shown.text] ?? '', /übernimmt von selbst/);
  });

  it('A12 consent to a server says that a mode or a rule can let its tools run unasked', async () => {
    const consent = { hash: 'h', text: 'node server.js' };
    const server = { id: 'v1', name: 'files', consent } as unknown as Server;
    await askConsent({} as Belay, server, by.tree);
    const sentence = 'unless the mode or a rule allows them';
    assert.ok(editor.messages[0]?.detail.includes(sentence));
    const [, words = ''] = Object.entries(german).find(([text]) => text.includes(sentence)) ?? [];
    assert.match(words, /sofern nicht der Modus oder eine Regel sie erlaubt/);
  });
});
