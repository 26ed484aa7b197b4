import './vscodeStub';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelInfo } from '../../protocol';
import { beginning } from '../../extension/contextKeys';

interface Welcome {
  readonly view: string;
  readonly contents: string;
  readonly when: string;
}
type Keys = Readonly<Record<string, string | number | boolean | undefined>>;

const manifest = readFileSync(join(__dirname, '../../package.json'), 'utf8');
const { viewsWelcome } = (JSON.parse(manifest) as { contributes: { viewsWelcome: readonly Welcome[] } })
  .contributes;

/** The few forms of a when clause that welcome views use. */
function holds(clause: string, keys: Keys): boolean {
  const [, not, key = '', operator, value] = /^(!?)([\w.]+)(?: (==|!=) (\w+))?$/.exec(clause.trim()) ?? [];
  assert.notEqual(key, '', clause);
  if (operator === undefined) return Boolean(keys[key]) === (not === '');
  return (String(keys[key]) === value) === (operator === '==');
}

/** The texts that an empty view shows in this state. */
const texts = (view: string, keys: Keys): readonly string[] =>
  viewsWelcome
    .filter((one) => one.view === `belay.${view}` && one.when.split('&&').every((part) => holds(part, keys)))
    .map(({ contents }) => contents.replaceAll('%', '').replace('welcome.', ''));

const READY: Keys = {
  'belay.host': 'ready',
  'belay.models': 'ready',
  'belay.paused': false,
  isWorkspaceTrusted: true,
  workspaceFolderCount: 1,
};

describe('an empty view', () => {
  it('says in each state of the host, of trust and of the cord what is so', () => {
    for (const host of ['stopped', 'starting', 'restarting', 'failed', 'ready'])
      for (const trusted of [true, false])
        for (const paused of [true, false]) {
          const keys = { ...READY, 'belay.host': host, isWorkspaceTrusted: trusted, 'belay.paused': paused };
          const said = texts('needs', keys);
          const calm = paused ? ['paused'] : ['calm'];
          if (host === 'failed') assert.deepEqual(said, ['failed']);
          else if (host !== 'ready') assert.deepEqual(said, ['starting']);
          else if (!trusted) assert.deepEqual(said, paused ? ['untrusted', 'paused'] : ['untrusted']);
          else assert.deepEqual(said, calm);
        }
  });

  it('offers work where there can be some, and names the model only where that is no real one', () => {
    assert.deepEqual(texts('sessions', READY), ['sessions']);
    assert.deepEqual(texts('sessions', { ...READY, 'belay.models': undefined }), ['sessions']);
    assert.deepEqual(texts('sessions', { ...READY, 'belay.models': 'rehearsal' }), ['sessions', 'rehearsal']);
    assert.deepEqual(texts('sessions', { ...READY, 'belay.models': 'none' }), ['sessions', 'key']);
    assert.deepEqual(texts('sessions', { ...READY, workspaceFolderCount: 0 }), ['folder']);
    assert.deepEqual(texts('sessions', { ...READY, isWorkspaceTrusted: false }), ['untrusted']);
  });

  it('says nothing of files and of the audit before they were read', () => {
    assert.deepEqual(texts('changes', READY), []);
    assert.deepEqual(texts('changes', { ...READY, 'belay.changed': 0 }), ['changes']);
    assert.deepEqual(texts('changes', { ...READY, 'belay.changed': 'none' }), ['changes.none']);
    assert.deepEqual(texts('audit', READY), []);
    assert.deepEqual(texts('audit', { ...READY, 'belay.audited': 0 }), ['audit']);
    assert.deepEqual(texts('audit', { ...READY, 'belay.audited': 0, 'belay.auditFiltered': true }), []);
  });

  it('says that the host does not run in every view', () => {
    for (const view of ['handles', 'servers', 'changes', 'audit'])
      assert.deepEqual(texts(view, { ...READY, 'belay.host': 'failed', 'belay.changed': 0 }), ['absent']);
  });
});

describe('the model that new sessions begin with', () => {
  const model = (id: string, ready: boolean) =>
    ({ id, provider: id.split('/')[0], name: id, ready }) as unknown as ModelInfo;
  const rehearsal = model('rehearsal/demo', true);

  it('is the rehearsal where nothing else can work, and where it was chosen', () => {
    assert.equal(beginning([model('big/large', false), rehearsal], undefined), 'rehearsal');
    assert.equal(beginning([model('big/large', true), rehearsal], 'rehearsal/demo'), 'rehearsal');
  });

  it('is a real one where one can work', () => {
    assert.equal(beginning([rehearsal, model('big/large', true)], undefined), 'ready');
    assert.equal(beginning([rehearsal, model('big/large', true)], 'big/large'), 'ready');
  });

  it('is none that can work where the chosen one lacks its key or its provider', () => {
    assert.equal(beginning([rehearsal, model('big/large', false)], 'big/large'), 'none');
    assert.equal(beginning([rehearsal], 'gone/large'), 'none');
  });
});
