/** Names from agents, servers and files in the editor's own surfaces: they hide, turn, draw and do nothing. */
import './vscodeStub';
import assert from 'node:assert/strict';
import { line, LINE_LENGTH, noticeLine, noticeText, pickLine, pickTexts } from '../../extension/views/line';
import { fenced, plain } from '../../extension/views/markdown';
import { needRows } from '../../extension/views/needsModel';
import { serverRows } from '../../extension/views/serversModel';
import { asks, snapshot } from './samples';

const HOSTILE = [
  '\u202Egnp.exe',
  '\u2066\u200B\u001b[2J\u001b]0;title\u0007',
  'one\ntwo\r\n\u2028three',
  '<img src=x onerror=alert(1)>',
  '[Allow](command:belay.need.allow) ](command:x)',
  '$(check) Allowed $(date)',
  'x'.repeat(10_000),
  '\u{1F600}'.repeat(5_000),
];
// Characters that nobody can see are what is looked for.
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069]/;

describe('a hostile name', () => {
  it('is one short line in which everything is seen', () => {
    for (const text of HOSTILE)
      for (const shown of [line(text), noticeLine(text), noticeText(text), pickLine(text)]) {
        assert.doesNotMatch(shown, HIDDEN);
        assert.ok(shown.length <= Math.max(LINE_LENGTH, 1_000), String(shown.length));
        assert.doesNotMatch(shown, /\p{Surrogate}/u, 'no half of a character');
      }
    assert.equal(line('rm \u202Etxt'), 'rm ⟨U+202E⟩txt');
    assert.equal(line('a\n b\t\tc '), 'a b c');
  });

  it('is no link in a notification and no picture in a list', () => {
    assert.doesNotMatch(noticeLine(HOSTILE[4] ?? ''), /\]\(/);
    assert.equal(pickLine('echo $(date) $(sync~spin)'), 'echo \\$(date) \\$(sync~spin)');
    assert.equal(pickLine('echo $(cat a.txt)'), 'echo $(cat a.txt)');
    assert.deepEqual(pickTexts({ label: '$(x)', description: '\u200Bb' }), {
      label: '\\$(x)',
      description: '⟨U+200B⟩b',
    });
  });

  it('is text in a tooltip, with what it hides', () => {
    assert.equal(plain('\u202E<b>[x](y)'), '⟨U\\+202E⟩\\<b\\>\\[x\\]\\(y\\)');
    const block = fenced(`echo \u202E \`\`\`\n${'y'.repeat(100_000)}`, 'sh', 40);
    assert.doesNotMatch(block, /\u202E/);
    assert.ok(block.startsWith('````sh\n') && block.length < 10_000);
  });

  it('changes neither the order nor the number of the rows that stand with it', () => {
    const needs = HOSTILE.map((title, n) => asks({ id: `a${n}` as never, title }));
    const rows = needRows(snapshot({ needs }), 0);
    assert.deepEqual(
      rows.map((row) => row.id),
      needs.map((_, n) => `need/a${n}`),
    );
    const servers = HOSTILE.map((name, n) => ({
      id: `v${n}`,
      name,
      state: 'failed',
      error: name,
      restarts: 0,
      changedAt: 0,
      source: 'workspace',
      file: name,
      target: name,
      tools: [{ name, title: name, description: name, hints: [] }],
    }));
    for (const row of serverRows(snapshot({ servers: servers as never }), 0))
      for (const one of [row, ...(row.children ?? [])]) {
        const tip = one.tooltip();
        assert.doesNotMatch(tip.replaceAll('\n', ''), HIDDEN);
        const prose = tip.replace(/(`{3,})[^]*?\1/, '');
        assert.doesNotMatch(prose, /(^|[^\\])<img|(^|[^\\])\]\(/);
      }
  });
});
