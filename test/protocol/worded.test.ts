/** What the host writes between backticks is code where code can be shown, and plain where it cannot. */
import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { labelOf } from '../../host/engine/approvals/ruleLabel';
import { say, sayIn } from '../../protocol';
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

  it('A1 A3 a command with backticks of its own is quoted so that all of it is shown, in both languages', () => {
    const german = {
      '`{command}` exactly, in {folder}': 'genau `{command}`, in {folder}',
      '`{part}`: {why}': '`{part}`: {why}',
      'the interpreter `{of}` always asks.': 'der Interpreter `{of}` fragt immer.',
    };
    for (const command of ["grep '`x`' file", '`a` `b`', 'echo ``c`` `d', ' `']) {
      const label = say('`{command}` exactly, in {folder}', { command, folder: '/work' });
      assert.equal(withoutMarks(label), `${command} exactly, in /work`);
      assert.equal(withoutMarks(sayIn(german)(label)), `genau ${command}, in /work`);
      const html = new MarkdownIt().renderInline(worded(label));
      assert.match(html, /^<code>.*<\/code> exactly, in \/work$/);
      assert.ok(html.includes(command.trim()), html);
      const of = 'node';
      const why = say('`{part}`: {why}', {
        part: command,
        why: say('the interpreter `{of}` always asks.', { of }),
      });
      assert.equal(withoutMarks(why), `${command}: the interpreter node always asks.`);
      assert.equal(withoutMarks(sayIn(german)(why)), `${command}: der Interpreter node fragt immer.`);
    }
  });

  it('A3 a path with backticks keeps them in the label of its rule', () => {
    const allowed = { effect: 'allow', scope: 'workspace' } as const;
    const path = '/work/`a`.ts';
    assert.equal(withoutMarks(labelOf({ ...allowed, match: { kind: 'path', path } })), `edits of ${path}`);
    const command = { kind: 'command', command: 'ls', folder: '/w`o`rk' } as const;
    assert.equal(withoutMarks(labelOf({ ...allowed, match: command })), 'ls exactly, in /w`o`rk');
  });

  it('are code in a tooltip, where nothing in them is drawn, linked or hidden', () => {
    assert.equal(worded('`a *b* [x](y)`: it asks.'), '`a *b* [x](y)`\\: it asks\\.');
    assert.equal(worded('`a\u202Eb\n# c`'), '`a⟨U+202E⟩b # c`');
    assert.equal(worded('`odd'), '\\`odd');
  });
});
