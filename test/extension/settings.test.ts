import { editor } from './vscodeStub';
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PendingMarker, hasBusiness } from '../../extension/pendingMarker';
import { KeptFile } from '../../extension/keptFile';
import { Secrets, modelKeyName } from '../../extension/secrets';
import { Settings } from '../../extension/settingsWatch';
import {
  keysInWorkspaceFile,
  readHttpSettings,
  readUserSettings,
  settingsQuery,
} from '../../extension/settings';
import { asks, handle, session, snapshot } from './samples';

describe('the settings', () => {
  it('are the object of the protocol, with what the person has set and nothing else', () => {
    const values: Record<string, unknown> = {
      'models.default': 'local/m1',
      'approvals.notify': false,
      harnesses: {},
    };
    const { settings, ignored } = readUserSettings((key) => ({ globalValue: values[key] }));
    assert.deepEqual(settings, {
      models: { default: 'local/m1' },
      approvals: { notify: false },
      harnesses: {},
    });
    assert.deepEqual(ignored, []);
  });

  it('are never read from the workspace, and say so', () => {
    const { settings, ignored } = readUserSettings((key) =>
      key === 'approvals.mode'
        ? { globalValue: 'ask', workspaceValue: 'full' }
        : { workspaceFolderValue: undefined },
    );
    assert.deepEqual(settings, { approvals: { mode: 'ask' } });
    assert.deepEqual(ignored, ['approvals.mode']);
  });

  it('A12 take the proxy from the settings of the person, and never from the workspace', () => {
    const http = readHttpSettings((key) => {
      if (key === 'http.proxy') return { globalValue: 'http://proxy:3128', workspaceValue: 'http://other' };
      return key === 'http.noProxy' ? { workspaceValue: ['*'] } : {};
    });
    assert.deepEqual(http, { http: { proxy: 'http://proxy:3128' } });
  });

  it('are found in a settings file of the workspace, comments and all', () => {
    const text =
      '{ // mine\n "belay.models.providers": {}, "belay.approvals.mode": "full", "editor.tabSize": 2 }';
    assert.deepEqual(keysInWorkspaceFile(text), ['models.providers', 'approvals.mode']);
  });
});

describe('a warning of a setting', () => {
  it('leads to exactly the keys that it names', () => {
    assert.equal(
      settingsQuery(['"belay.limits.shellMs" is "fast"; it must be a number.']),
      '@id:belay.limits.shellMs',
    );
    assert.equal(
      settingsQuery(['"kind" in "belay.models.providers.local" is missing.', '"belay.approvals.mode" is 1.']),
      '@id:belay.models.providers,belay.approvals.mode',
    );
    assert.equal(settingsQuery(['"http.proxy" is a list; it must be a text.']), '@id:http.proxy');
    assert.equal(settingsQuery(['"belay.limits.shelMs" is no setting of Belay.']), 'belay');
  });

  it('is shown whole, with the names of all others that are not right, and leads to the log as well', () => {
    editor.messages = [];
    const settings = new Settings(() => undefined);
    settings.tellInvalid([
      '"belay.limits.shellMs" is "fast"; it must be a number.',
      '"kind" in "belay.models.providers.local" is missing.',
      '"baseUrl" in "belay.models.providers.local" is empty.',
      '"belay.limits.shelMs" is no setting of Belay.',
    ]);
    settings.dispose();
    const [shown] = editor.messages;
    assert.equal(
      shown?.text,
      '"belay.limits.shellMs" is "fast"; it must be a number. Not right either: belay.models.providers.local, belay.limits.shelMs.',
    );
    assert.deepEqual(shown.buttons, ['Open settings', 'Show log']);
  });
});

describe('the secrets', () => {
  const kept = new Map<string, string>();
  let names: readonly string[] = [];
  const lost: string[] = [];
  const secrets = new Secrets(
    {
      get: (key) => Promise.resolve(kept.get(key)),
      store: (key, value) => Promise.resolve(void kept.set(key, value)),
      delete: (key) => Promise.resolve(void kept.delete(key)),
    },
    { get: () => Promise.resolve(names), set: (all) => Promise.resolve(void (names = all)) },
    (name) => lost.push(name),
  );

  it('are kept under a name of their own for each provider', async () => {
    await secrets.set(modelKeyName('local'), 'k');
    assert.deepEqual([...kept], [['belay.key.model/local', 'k']]);
    assert.equal(await secrets.get('model/local'), 'k');
    assert.equal(await secrets.get('model/other'), undefined);
    await secrets.remove('model/local');
    assert.equal(kept.size, 0);
    assert.equal(await secrets.get('model/local'), undefined);
    assert.deepEqual(lost, []);
  });

  it('that the storage has lost are told of, once', async () => {
    await secrets.set(modelKeyName('local'), 'k');
    kept.clear();
    assert.equal(await secrets.get('model/local'), undefined);
    await secrets.get('model/local');
    assert.deepEqual(lost, ['model/local']);
  });
});

describe('the marker of waiting work', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'belay-marker-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('is there exactly while there is something to come back to', async () => {
    const marker = new PendingMarker(join(dir, 'new', 'folder'), (text) => assert.fail(text));
    assert.equal(await marker.exists(), false);
    marker.follow(snapshot({ sessions: [session({ state: 'running', turn: 't1' })] }));
    await marker.settled();
    assert.equal(await marker.exists(), true);
    marker.follow(undefined);
    await marker.settled();
    assert.equal(await marker.exists(), true, 'a host that is gone says nothing about its work');
    marker.follow(snapshot());
    await marker.settled();
    assert.equal(await marker.exists(), false);
  });

  it('is wanted for requests, a pulled cord, open handles and unread messages', () => {
    assert.ok(!hasBusiness(snapshot({ handles: [handle({ state: 'ended' })] })));
    assert.ok(hasBusiness(snapshot({ needs: [asks()] })));
    assert.ok(hasBusiness(snapshot({ host: { paused: true } })));
    assert.ok(hasBusiness(snapshot({ handles: [handle()] })));
  });
});

describe('a kept value', () => {
  it('is there after the window is gone, and undefined when it never was or is damaged', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'belay-kept-'));
    const path = join(dir, 'new', 'shown.json');
    assert.equal(await new KeptFile(path).get(), undefined);
    const kept = new KeptFile(path);
    await kept.set('s2');
    await kept.set('s3');
    assert.equal(await new KeptFile(path).get(), 's3');
    const last = [1, 2, 3, 4].map((value) => kept.set(value));
    assert.equal(await kept.get(), 4);
    await Promise.all(last);
    assert.deepEqual(readdirSync(dirname(path)), ['shown.json']);
    writeFileSync(path, '{');
    assert.equal(await new KeptFile(path).get(), undefined);
    rmSync(dir, { recursive: true });
  });
});
