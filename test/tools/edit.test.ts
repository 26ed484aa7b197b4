import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  lstatSync,
  chownSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Bench } from './support';

describe('edit', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('replaces a text that occurs once, and says where', async () => {
    bench.put('a.txt', 'one\ntwo\nthree\n');
    assert.deepEqual(await bench.output('edit', { path: 'a.txt', old: 'two', new: '2' }), {
      replaced: 1,
      line: 2,
    });
    assert.equal(bench.get('a.txt'), 'one\n2\nthree\n');
  });

  it('P2 a file that becomes unsaved while it is read is not written', async () => {
    const path = bench.put('a.txt', 'one\ntwo\n');
    const { output } = await bench.run('edit', { path: 'a.txt', old: 'two', new: '2' }, (effect) => {
      const done = effect();
      // After the reading, which is the first effect.
      bench.unsaved.add(path);
      return done;
    });
    assert.equal(output['error'], 'file_unsaved');
    assert.equal(bench.get('a.txt'), 'one\ntwo\n');
  });

  it('refuses what is ambiguous with the count, and does all of it when asked', async () => {
    bench.put('a.txt', 'x x x');
    assert.match(await bench.failure('edit', { path: 'a.txt', old: 'x', new: 'y' }), /occurs 3 times/);
    assert.equal(bench.get('a.txt'), 'x x x');
    assert.deepEqual(await bench.output('edit', { path: 'a.txt', old: 'x', new: 'y', all: true }), {
      replaced: 3,
      line: 1,
    });
    assert.equal(bench.get('a.txt'), 'y y y');
  });

  it('says which line comes closest when the text is not there', async () => {
    bench.put('a.ts', 'function one() {\n    return total + 1;\n}\n');
    const detail = await bench.failure('edit', { path: 'a.ts', old: 'return total + 2;', new: 'x' });
    assert.equal(detail, 'old was not found in a.ts. Line 2 comes closest: "    return total + 1;".');
    assert.equal(
      await bench.failure('edit', { path: 'a.ts', old: 'zzz', new: 'x' }),
      'old was not found in a.ts.',
    );
  });

  it('refuses an edit that changes nothing before it is shown', async () => {
    const prepared = await bench.prepare('edit', { path: 'a.txt', old: 'a', new: 'a' });
    assert.deepEqual(prepared, { error: 'tool_arguments_invalid', detail: 'old and new are the same' });
  });

  it('a missing file, a folder and a binary file are told apart', async () => {
    bench.put('dir/x', '');
    bench.put('binary', Buffer.from([1, 0, 2]));
    const edit = (path: string): Promise<string> => bench.failure('edit', { path, old: 'a', new: 'b' });
    assert.equal(await edit('none'), 'none does not exist.');
    assert.equal(await edit('dir'), 'dir is a folder, not a file.');
    assert.equal(await edit('binary'), 'binary is a binary file of 3 bytes.');
  });

  it('takes literally what a pattern or a replacement would give a meaning', async () => {
    bench.put('a.txt', 'a.b*c $1 [x]');
    await bench.output('edit', { path: 'a.txt', old: '.b*c $1 [x]', new: "$& $1 $$ $' \\n" });
    assert.equal(bench.get('a.txt'), "a$& $1 $$ $' \\n");
  });

  it('keeps Windows line ends, whichever the model writes', async () => {
    bench.put('a.txt', 'one\r\ntwo\r\nthree\r\n');
    await bench.output('edit', { path: 'a.txt', old: 'one\ntwo', new: '1\n2\n2b' });
    assert.equal(bench.get('a.txt'), '1\r\n2\r\n2b\r\nthree\r\n');
    await bench.output('edit', { path: 'a.txt', old: '2b\r\nthree', new: '3' });
    assert.equal(bench.get('a.txt'), '1\r\n2\r\n3\r\n');
  });

  it('keeps mode, hard links and links', async () => {
    chmodSync(bench.put('run.sh', 'echo old\n'), 0o751);
    await bench.output('edit', { path: 'run.sh', old: 'old', new: 'new' });
    assert.equal(statSync(bench.at('run.sh')).mode & 0o7777, 0o751);
    linkSync(bench.put('one', 'same\n'), bench.at('other'));
    await bench.output('edit', { path: 'one', old: 'same', new: 'both' });
    assert.equal(bench.get('other'), 'both\n');
    symlinkSync('run.sh', bench.at('link'));
    await bench.output('edit', { path: 'link', old: 'new', new: 'linked' });
    assert.ok(lstatSync(bench.at('link')).isSymbolicLink());
    assert.equal(bench.get('run.sh'), 'echo linked\n');
    assert.deepEqual(readdirSync(bench.folder).sort(), ['link', 'one', 'other', 'run.sh']);
  });

  it('leaves a read-only file as it is', async () => {
    chmodSync(bench.put('a.txt', 'old'), 0o444);
    assert.match(await bench.failure('edit', { path: 'a.txt', old: 'old', new: 'new' }), /read-only/);
    assert.match(await bench.failure('write', { path: 'a.txt', text: 'new' }), /read-only/);
    assert.equal(bench.get('a.txt'), 'old');
  });

  it('after the file has changed, still does what was shown while that is the only place', async () => {
    bench.put('a.txt', 'one\ntwo\n');
    const prepared = await bench.prepared('edit', { path: 'a.txt', old: 'two', new: '2' });
    bench.put('a.txt', 'zero\none\ntwo\n');
    assert.equal((await bench.start(prepared).done).failed, false);
    assert.equal(bench.get('a.txt'), 'zero\none\n2\n');
  });

  it('after the file has changed, does not do elsewhere what was shown for one place', async () => {
    bench.put('a.txt', 'one\ntwo\n');
    const once = await bench.prepared('edit', { path: 'a.txt', old: 'two', new: '2' });
    const all = await bench.prepared('edit', { path: 'a.txt', old: 'two', new: '2', all: true });
    bench.put('a.txt', 'one\ntwo\nnot two\n');
    assert.match(String((await bench.start(once).done).output['detail']), /occurs 2 times/);
    assert.match(
      String((await bench.start(all).done).output['detail']),
      /has changed since this edit was shown/,
    );
    assert.equal(bench.get('a.txt'), 'one\ntwo\nnot two\n');
  });

  it('two edits of one file in one round both run, though the second was judged before the first ran', async () => {
    bench.put('a.txt', 'one\n');
    const first = await bench.prepared('edit', { path: 'a.txt', old: 'one', new: 'two' });
    const second = await bench.prepared('edit', { path: 'a.txt', old: 'two', new: 'three' });
    assert.equal(second.preview.kind, 'arguments');
    await bench.start(first).done;
    assert.equal((await bench.start(second).done).failed, false);
    assert.equal(bench.get('a.txt'), 'three\n');
  });

  it('writes nothing when another program writes between its look and its write', async () => {
    bench.put('a.txt', 'one\n');
    const prepared = await bench.prepared('edit', { path: 'a.txt', old: 'one', new: 'two' });
    let launches = 0;
    const { output } = await bench.start(prepared, (effect) => {
      launches += 1;
      if (launches === 2) bench.put('a.txt', 'by another one\n');
      return effect();
    }).done;
    assert.match(String(output['detail']), /has changed meanwhile/);
    assert.equal(bench.get('a.txt'), 'by another one\n');
  });

  it('gives both sides of what it would do now', async () => {
    bench.put('a.txt', 'one\ntwo\n');
    const prepared = await bench.prepared('edit', { path: 'a.txt', old: 'two', new: '2' });
    assert.deepEqual(await bench.tools.sides(prepared, bench.place), {
      path: 'a.txt',
      before: 'one\ntwo\n',
      after: 'one\n2\n',
      created: false,
    });
    bench.put('a.txt', 'gone');
    assert.equal(await bench.tools.sides(prepared, bench.place), undefined);
    const read = await bench.prepared('read', { path: 'a.txt' });
    assert.equal(await bench.tools.sides(read, bench.place), undefined);
  });

  it('X8: a secret in the file is neither shown nor lost', async () => {
    bench.secrets = { names: [], values: ['sk-secret-value'] };
    bench.put('.env', 'KEY=sk-secret-value\nNAME=one\n');
    assert.equal((await bench.output('read', { path: '.env' }))['text'], 'KEY=[REDACTED]\nNAME=one\n');
    const prepared = await bench.prepared('edit', {
      path: '.env',
      old: 'NAME=one',
      new: 'NAME=two',
      all: true,
    });
    assert.ok(!JSON.stringify(prepared).includes('sk-secret'));
    assert.equal((await bench.start(prepared).done).failed, false);
    assert.equal(bench.get('.env'), 'KEY=sk-secret-value\nNAME=two\n');
    const written = await bench.prepared('write', { path: '.env', text: 'gone\n' });
    assert.ok(!JSON.stringify(written).includes('sk-secret'));
    assert.equal((await bench.start(written).done).failed, false);
  });
});

describe('write', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  it('creates a file with its folders', async () => {
    const prepared = await bench.prepared('write', { path: 'a/b/c.txt', text: 'hi\n' });
    assert.equal(prepared.title, 'Write a/b/c.txt');
    assert.deepEqual(prepared.subject, {
      kind: 'path',
      path: bench.at('a/b/c.txt'),
      roots: [bench.folder],
    });
    assert.equal(prepared.preview.kind === 'diff' && prepared.preview.created, true);
    assert.deepEqual((await bench.start(prepared).done).output, { bytes: 3, created: true });
    assert.equal(bench.get('a/b/c.txt'), 'hi\n');
    bench.put('usual', '');
    assert.equal(statSync(bench.at('a/b/c.txt')).mode, statSync(bench.at('usual')).mode);
    assert.deepEqual(readdirSync(bench.at('a/b')), ['c.txt']);
  });

  it('replaces a file only if it is still the one that was shown', async () => {
    bench.put('a.txt', 'old\n');
    const prepared = await bench.prepared('write', { path: 'a.txt', text: 'new\n' });
    bench.put('a.txt', 'the work of a person\n');
    assert.match(
      String((await bench.start(prepared).done).output['detail']),
      /has changed since this was shown/,
    );
    assert.equal(bench.get('a.txt'), 'the work of a person\n');
    const created = await bench.prepared('write', { path: 'b.txt', text: 'new\n' });
    bench.put('b.txt', 'the work of a person\n');
    assert.match(
      String((await bench.start(created).done).output['detail']),
      /has changed since this was shown/,
    );
    assert.equal(bench.get('b.txt'), 'the work of a person\n');
  });

  it('replaces a file only if it is still the one that was shown, also behind the cut of its preview', async () => {
    const lines = Array.from({ length: 8_000 }, (_, n) => `a line of some length, number ${String(n)}\n`);
    bench.put('long.txt', lines.join(''));
    const prepared = await bench.prepared('write', { path: 'long.txt', text: 'short\n' });
    assert.equal(prepared.preview.kind === 'diff' && prepared.preview.cut, true);
    const theirs = lines.with(7_990, 'the work of a person\n').join('');
    bench.put('long.txt', theirs);
    assert.match(
      String((await bench.start(prepared).done).output['detail']),
      /has changed since this was shown/,
    );
    assert.equal(bench.get('long.txt'), theirs);
  });

  it('does not put text in the place of a folder or of what is no text', async () => {
    bench.put('dir/x', '');
    bench.put('picture', Buffer.from([0x89, 0, 1]));
    assert.match(await bench.failure('write', { path: 'dir', text: '' }), /is a folder/);
    assert.match(await bench.failure('write', { path: 'picture', text: '' }), /binary file/);
  });

  it('P4: stopped before its effect, writes nothing; after it, tells the truth', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const path = `f${turns}`;
      const run = bench.start(await bench.prepared('write', { path, text: 'x' }));
      for (let turn = 0; turn < turns; turn += 1) await new Promise((done) => setImmediate(done));
      assert.deepEqual(await run.stop('host_paused'), { stopped: true, survivors: [] });
      const { output } = await run.done;
      const there = readdirSync(bench.folder).includes(path);
      assert.equal(there, output['error'] === undefined, JSON.stringify(output));
      if (!there) assert.equal(output['error'], 'host_paused');
    }
  });

  it('P2: a cord that is pulled between its look and its write leaves everything as it was', async () => {
    const prepared = await bench.prepared('write', { path: 'new/file', text: 'x' });
    const run = bench.start(prepared, () => {
      throw Object.assign(new Error('paused'), { code: 'host_paused' });
    });
    assert.equal((await run.done).output['error'], 'host_paused');
    assert.deepEqual(readdirSync(bench.folder), []);
  });

  it('a file of another user in a folder of ours keeps its owner', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const path = bench.put('theirs', 'old\n');
    chownSync(path, 1234, 1234);
    await bench.output('edit', { path: 'theirs', old: 'old', new: 'new' });
    const stats = statSync(path);
    assert.deepEqual([stats.uid, stats.gid], [1234, 1234]);
  });

  it('where the folder is not ours, writes the file itself; where nothing is, says so', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    writeFileSync(bench.at('may'), 'old\n');
    writeFileSync(bench.at('may-not'), 'old\n');
    for (const path of [bench.base, bench.folder]) chmodSync(path, 0o755);
    chownSync(bench.at('may'), 65534, 65534);
    process.seteuid?.(65534);
    try {
      await bench.output('edit', { path: 'may', old: 'old', new: 'new' });
      assert.equal(
        await bench.failure('edit', { path: 'may-not', old: 'old', new: 'new' }),
        'Permission denied.',
      );
      assert.equal(await bench.failure('write', { path: 'new', text: '' }), 'Permission denied.');
    } finally {
      process.seteuid?.(0);
    }
    assert.equal(bench.get('may'), 'new\n');
    assert.equal(bench.get('may-not'), 'old\n');
    assert.deepEqual(readdirSync(bench.folder).sort(), ['may', 'may-not']);
  });
});
