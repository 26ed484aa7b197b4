import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { PREVIEW_BYTES } from '../../protocol';
import { diffPreview } from '../../host/adapters/tools/diffPreview';
import { replace } from '../../host/adapters/tools/replace';
import { encodingOf, toLf, workable } from '../../host/adapters/tools/text';
import { Bench } from './support';

describe('Encodings', () => {
  let bench: Bench;
  beforeEach(async () => (bench = await Bench.open()));
  afterEach(() => bench.close());

  const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
  const files: readonly (readonly [string, Buffer, (text: string) => Buffer])[] = [
    ['utf-8', Buffer.from('Grüße\r\nzwei\r\n'), (text) => Buffer.from(text)],
    ['utf-8-bom', Buffer.from('\ufeffGrüße\r\nzwei\r\n'), (text) => Buffer.from(`\ufeff${text}`)],
    [
      'utf-16le',
      Buffer.from('\ufeffGrüße\r\nzwei\r\n', 'utf16le'),
      (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    ],
    ['utf-16be', utf16be('\ufeffGrüße\r\nzwei\r\n'), (text) => utf16be(`\ufeff${text}`)],
    ['windows-1252', Buffer.from('Gr\xfc\xdfe\r\nzwei\r\n', 'latin1'), (text) => Buffer.from(text, 'latin1')],
  ];
  for (const [encoding, bytes, encode] of files) {
    it(`${encoding} is read as text and written back as it was`, async () => {
      bench.put('a.txt', bytes);
      const read = await bench.output('read', { path: 'a.txt' });
      assert.equal(read['text'], 'Grüße\nzwei\n');
      assert.equal(read['line_ends'], 'crlf');
      assert.equal(read['encoding'], encoding === 'utf-8' ? undefined : encoding);
      await bench.output('edit', { path: 'a.txt', old: 'Grüße\nzwei', new: 'Grüße\nfür zwei' });
      assert.deepEqual(readFileSync(bench.at('a.txt')), encode('Grüße\r\nfür zwei\r\n'));
      await bench.output('write', { path: 'a.txt', text: 'Ä\nÖ\n' });
      assert.deepEqual(readFileSync(bench.at('a.txt')), encode('Ä\r\nÖ\r\n'));
    });
  }

  it('a character that the encoding cannot hold is refused by edit, and makes write change to UTF-8', async () => {
    bench.put('a.txt', Buffer.from('Gr\xfc\xdfe', 'latin1'));
    assert.match(
      await bench.failure('edit', { path: 'a.txt', old: 'Gr', new: '漢' }),
      /windows-1252, the file's encoding, cannot hold/,
    );
    assert.deepEqual(readFileSync(bench.at('a.txt')), Buffer.from('Gr\xfc\xdfe', 'latin1'));
    await bench.output('write', { path: 'a.txt', text: '漢' });
    assert.equal(bench.get('a.txt'), '漢');
  });

  it('half characters of a model are refused, not written as something else', async () => {
    bench.put('a.txt', 'x');
    const args = '{"path":"a.txt","text":"\\ud83d"}';
    assert.ok('error' in (await bench.tools.prepare('write', args, bench.place)));
    const edit = await bench.tools.prepare('edit', '{"path":"a.txt","old":"x","new":"\\ud83d"}', bench.place);
    assert.ok(!('error' in edit));
    assert.match(String((await bench.start(edit).done).output['detail']), /cannot hold/);
    assert.equal(bench.get('a.txt'), 'x');
  });

  it('whatever the bytes are: an edit changes what it says and nothing else, or nothing at all', () => {
    const chunk = fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => Buffer.from(text)),
      fc.constantFrom('\r\n', '\n', '\r').map((text) => Buffer.from(text)),
      fc
        .constantFrom([0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf], [0xe9], [0x80])
        .map((bytes) => Buffer.from(bytes)),
    );
    const some = fc.array(chunk, { maxLength: 6 }).map((chunks) => Buffer.concat(chunks));
    let done = 0;
    fc.assert(
      fc.property(some, some, (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from('MARK'), after]);
        const encoding = encodingOf(bytes, true);
        if (encoding === undefined || (encoding.startsWith('utf-16') && bytes.length % 2 === 1)) return;
        const file = workable(bytes, encoding);
        assert.deepEqual(file.bytes(file.text), bytes, 'nothing changed is nothing changed');
        const replaced = replace(file.text, file.taken('MARK') ?? '', file.taken('done') ?? '', false);
        if (!replaced.ok) return;
        done += 1;
        const wanted = encoding.startsWith('utf-16')
          ? undefined
          : Buffer.concat([before, Buffer.from('done'), after]);
        if (wanted !== undefined) assert.deepEqual(file.bytes(replaced.text), wanted);
      }),
      { numRuns: 3_000 },
    );
    assert.ok(done > 500, `${done} runs came to an edit`);
  });
});

describe('The diff that a person judges by', () => {
  it('applied to the old text gives the new one', () => {
    const line = fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '@@');
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
      .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const preview = diffPreview('f', before, after).preview;
        assert.equal(preview.cut, false);
        if (before === after) assert.deepEqual([preview.added, preview.removed], [0, 0]);
        else assert.equal(applyPatch(before, preview.diff), after, preview.diff);
      }),
      { numRuns: 2_000 },
    );
  });

  it('names a created file, counts its lines, and looks through line ends', () => {
    assert.deepEqual(diffPreview('new', undefined, 'one\ntwo\n').preview, {
      kind: 'diff',
      path: 'new',
      diff: '--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n',
      added: 2,
      removed: 0,
      created: true,
      cut: false,
    });
    assert.equal(diffPreview('x', 'one\r\ntwo\r\n', toLf('one\r\ntwo\r\n')).preview.added, 0);
  });

  it('R10: is cut at its limit with the counts of all of it, in bounded time', () => {
    const before = Array.from({ length: 200_000 }, (_, index) => `line ${index}`).join('\n');
    const started = performance.now();
    const small = diffPreview('big', before, before.replace('line 100000\n', 'changed\n')).preview;
    assert.deepEqual([small.added, small.removed, small.cut], [1, 1, false]);
    const after = Array.from({ length: 200_000 }, (_, index) => `row ${(index * 7919) % 200_000}`).join('\n');
    const large = diffPreview('big', before, after).preview;
    assert.equal(large.cut, true);
    assert.ok(Buffer.byteLength(large.diff) <= PREVIEW_BYTES);
    assert.deepEqual([large.added, large.removed], [200_000, 200_000]);
    assert.ok(performance.now() - started < 20_000);
  });
});
