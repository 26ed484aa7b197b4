/** What scripts that run at once may store together. */
import assert from 'node:assert/strict';
import type { SessionId } from '../../protocol';
import { STORED_BYTES, STORED_KEYS } from '../../protocol';
import { Rig } from './rig';

describe('the values of a session', () => {
  let rig: Rig;
  let session: SessionId;
  beforeEach(async () => {
    rig = await new Rig().open();
    session = await rig.session('full');
  });
  afterEach(() => rig.close());

  const keys = (from: number, until: number, json: string | undefined) =>
    Array.from({ length: until - from }, (_, n) => ({ key: `k${String(from + n)}`, json }));
  const store = (values: ReturnType<typeof keys>) =>
    rig.ledger.commit((tx) => tx.storeValues(session, values)).value;
  const count = () => Object.keys(rig.ledger.look((tables) => tables.storedValues(session))).length;

  it('R10 S1 scripts that know nothing of each other store no more keys than a session has', () => {
    assert.ok(store(keys(0, STORED_KEYS - 1, '1')));
    assert.equal(store(keys(STORED_KEYS, STORED_KEYS + 2, '1')), false, 'all or nothing');
    assert.equal(count(), STORED_KEYS - 1);
    assert.ok(store([...keys(0, 2, undefined), ...keys(STORED_KEYS, STORED_KEYS + 2, '1')]));
    assert.equal(count(), STORED_KEYS - 1);
  });

  it('R10 S1 keys count as values do, and room can always be made', () => {
    const long = { key: 'k'.repeat(256), json: '1' };
    const values = Array.from({ length: 16 }, (_, n) => ({ key: String(n), json: 'x'.repeat(65_500) }));
    const room = STORED_BYTES - values.reduce((sum, { key, json }) => sum + key.length + json.length, 0);
    assert.ok(store(values));
    assert.ok(store([{ key: 'rest', json: 'x'.repeat(room - 'rest'.length) }]));
    assert.equal(store([long]), false);
    assert.equal(store([{ key: '0', json: undefined }]), true);
    assert.ok(store([long]));
  });
});
