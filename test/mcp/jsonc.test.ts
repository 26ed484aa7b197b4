import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseJsonc } from '../../host/adapters/mcp/jsonc';

/** What the file of a workspace may hold, characters. */
const LARGE = 1024 * 1024;
/** A pass takes some milliseconds; where the time grows with the square of the length it takes minutes. */
const SOON_MS = 2_000;

describe('JSON with comments', () => {
  it('M2 comments and trailing commas are none of it, wherever they stand; strings stay as they are', () => {
    const text = `\uFEFF// first, a line }
{ /* "x": 1, */ "a": [1, 2, /* three ] */ ], // ]
  "s": "// no comment, ]\\\\", "q": "\\"/*,}", "b": {"c": 1 /* , */ , } /**/ , }// end`;
    assert.deepEqual(parseJsonc(text), {
      a: [1, 2],
      s: '// no comment, ]\\',
      q: '"/*,}',
      b: { c: 1 },
    });
  });

  it('M2 what is no JSON stays none', () => {
    for (const text of ['', '{', '[1 2]', '[,]x', '{"a": /}', '/* {} ', '{"a" /* */ 1}', '[1,,]', '"open'])
      assert.throws(() => parseJsonc(text), SyntaxError, text);
    assert.throws(() => parseJsonc('[1/**/2]'), SyntaxError, 'a comment parts what it stands between');
  });

  it('M2 plain JSON is read as it is', () => {
    fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(parseJsonc(text), JSON.parse(text))));
  });

  it('R10 A11 the time goes with the length, whatever the text is', () => {
    for (const piece of ['/* ', '//', '"', ',', ', ', '\\"', '[,', '/']) {
      const text = piece.repeat(LARGE / piece.length);
      const before = performance.now();
      assert.throws(() => parseJsonc(text));
      assert.ok(performance.now() - before < SOON_MS, `${piece} took too long`);
    }
  });
});
