/** What the host writes between backticks is code where code can be shown, and plain where it cannot. */
import assert from 'node:assert/strict';
import { withoutMarks, wordsIn } from '../../protocol/worded';
import { worded } from '../../extension/views/markdown';

describe('words with code', () => {
  it('are told apart, without their marks', () => {
    assert.deepEqual(wordsIn('the form `a <<< b` asks.'), [
      { text: 'the form ', code: false },
      { text: 'a <<< b', code: true },
      { text: ' asks.', code: false },
    ]);
    assert.equal(withoutMarks('`rm -r` asks.'), 'rm -r asks.');
  });

  it('A1 keep every mark where one is quoted itself: nothing of a command is left out', () => {
    const odd = '`echo `date`: no rule allows it';
    assert.equal(withoutMarks(odd), odd);
    assert.deepEqual(wordsIn(odd), [{ text: odd, code: false }]);
  });

  it('are code in a tooltip, where nothing in them is drawn, linked or hidden', () => {
    assert.equal(worded('`a *b* [x](y)`: it asks.'), '`a *b* [x](y)`: it asks\\.');
    assert.equal(worded('`a\u202Eb\n# c`'), '`a⟨U+202E⟩b # c`');
    assert.equal(worded('`odd'), '\\`odd');
  });
});
