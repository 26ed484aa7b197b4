import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import type { Migration } from '../../host/store/contract';
import { StoreMisuse } from '../../host/store/errors';
import { add, notes, NOTES, Rig } from './support';

const STEPS: readonly Migration[] = [
  NOTES,
  {
    version: 2,
    up: (q) => {
      q.script(
        'CREATE TABLE tag (note INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE, name TEXT NOT NULL) STRICT',
      );
      for (const [id] of q.all('SELECT id FROM note')) {
        q.run('INSERT INTO tag (note, name) VALUES (?, ?)', id ?? null, `tag of ${String(id)}`);
      }
    },
  },
  {
    version: 3,
    // SQLite's own way to change a table: a new one takes its place, and nothing is deleted by cascade.
    up: (q) =>
      q.script(`
        CREATE TABLE note_new (id INTEGER PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL DEFAULT 0) STRICT;
        INSERT INTO note_new (id, body) SELECT id, body FROM note;
        DROP TABLE note;
        ALTER TABLE note_new RENAME TO note;
      `),
  },
];

describe('store: migrations', () => {
  const rig = new Rig();
  afterEach(() => rig.end());

  for (let version = 1; version <= STEPS.length; version += 1) {
    for (const way of ['closed', 'killed'] as const) {
      it(`brings a file of version ${version} that was ${way} to the newest (D5)`, async () => {
        const dir = rig.folder();
        const old = await rig.open(dir, { migrations: STEPS.slice(0, version) });
        assert.equal(old.migratedFrom, 0);
        for (let note = 0; note < 10; note += 1) await add(old, `${note}`);
        let place = dir;
        if (way === 'closed') await old.store.dispose();
        else {
          place = rig.folder();
          cpSync(dir, place, { recursive: true });
        }
        const opened = await rig.open(place, { migrations: STEPS });
        assert.equal(opened.migratedFrom, version);
        assert.equal(opened.lost, 0);
        assert.equal(notes(opened).length, 10);
        const tags = Number(opened.store.read((q) => q.get('SELECT count(*) FROM tag'))?.[0]);
        assert.equal(tags, version === 1 ? 10 : 0);
        assert.equal(opened.store.read((q) => q.get('PRAGMA user_version'))?.[0], 3);
        assert.equal(opened.store.read((q) => q.get('PRAGMA foreign_keys'))?.[0], 1);
        assert.deepEqual(opened.store.check(), []);
        await opened.store.dispose();
        assert.equal((await rig.open(place, { migrations: STEPS })).migratedFrom, 3);
      });
    }
  }

  it('undoes a step that fails, whole, and keeps the ones before (D5)', async () => {
    const dir = rig.folder();
    const old = await rig.open(dir);
    await add(old, 'kept');
    await old.store.dispose();
    const broken: Migration = {
      version: 3,
      up: (q) => {
        q.script('DROP TABLE note');
        throw new Error('half way');
      },
    };
    await assert.rejects(rig.open(dir, { migrations: [...STEPS.slice(0, 2), broken] }), /half way/);
    assert.equal(rig.files.openCount, 0);
    const opened = await rig.open(dir, { migrations: STEPS.slice(0, 2) });
    assert.equal(opened.migratedFrom, 2);
    assert.deepEqual(notes(opened), ['kept']);
  });

  it('refuses a step that leaves broken references, and steps with a gap', async () => {
    const dir = rig.folder();
    const old = await rig.open(dir, { migrations: STEPS.slice(0, 2) });
    await add(old, 'x');
    old.store.commit((q) => q.run("INSERT INTO tag (note, name) VALUES (1, 'x')"));
    await old.store.dispose();
    const careless: Migration = { version: 3, up: (q) => void q.run('DELETE FROM note') };
    await assert.rejects(rig.open(dir, { migrations: [...STEPS.slice(0, 2), careless] }), StoreMisuse);
    await assert.rejects(rig.open(dir, { migrations: STEPS.slice(1) }), StoreMisuse);
    assert.deepEqual(notes(await rig.open(dir, { migrations: STEPS.slice(0, 2) })), ['x']);
  });

  it('refused by a full disk at any write leaves the old version or the new one, never between (D5, D8)', async () => {
    const dir = rig.folder();
    const old = await rig.open(dir);
    for (let note = 0; note < 200; note += 1) void add(old, `${note}`.padEnd(2_000, '.'));
    await old.store.dispose();
    for (let index = 0; ; index += 1) {
      const copy = rig.folder();
      cpSync(dir, copy, { recursive: true });
      const first = rig.files.counts.write + index;
      const hits: string[] = [];
      rig.files.fail = (operation, path, count) => {
        if (operation !== 'write' || count < first) return undefined;
        hits.push(path);
        return 'ENOSPC';
      };
      const refused = await rig.open(copy, { migrations: STEPS }).then(
        () => false,
        () => true,
      );
      rig.files.fail = () => undefined;
      assert.equal(refused, hits.length > 0);
      if (!refused) {
        assert.ok(index > 3);
        break;
      }
      const opened = await rig.open(copy, { migrations: STEPS });
      assert.equal(notes(opened).length, 200);
      assert.deepEqual(opened.store.check(), []);
      await opened.store.dispose();
    }
  });
});
