/** Texts from outside, made safe and readable. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseAnsi, stripAnsi } from '../../webview/text/ansi';
import { decodeHTMLStrict } from '../../webview/text/entities';
import hosts from '../../webview/text/hosts';
import { parseDiff, replacement } from '../../webview/text/diff';
import { colour } from '../../webview/text/colour';
import type { CodeNode } from '../../webview/text/highlight';
import {
  fileTarget,
  GrowingMarkdown,
  linkKind,
  parseMarkdown,
  type MarkdownNode,
} from '../../webview/text/markdown';
import { reveal, revealed } from '../../protocol/reveal';
import { dollars, stopwatch, tokens, took, within } from '../../webview/text/words';
import { EDIT_DIFF } from './support/story';

describe('the host of a link', () => {
  it('is asked for and shown in one way, so that a letter that only looks like another is told', () => {
    assert.equal(hosts.toASCII('müller.de'), 'xn--mller-kva.de');
    assert.equal(hosts.toUnicode(hosts.toASCII('аpple.com')), 'xn--pple-43d.com');
    assert.equal(hosts.toASCII('no host'), 'no host');
  });
});

describe('terminal output', () => {
  it('keeps the theme’s colours and drops every other sequence', () => {
    assert.deepEqual(parseAnsi('\u001b[1;31mred\u001b[0m \u001b[2J\u001b[10;10H\u001b]0;title\u0007plain'), [
      { text: 'red', color: 1, bold: true },
      { text: ' plain' },
    ]);
  });
  it('reads 256 and true colours as the nearest of the theme', () => {
    assert.deepEqual(parseAnsi('\u001b[38;5;196mx\u001b[38;2;10;200;20my\u001b[39mz'), [
      { text: 'x', color: 9 },
      { text: 'y', color: 2 },
      { text: 'z' },
    ]);
  });
  it('shows no link that a terminal would make', () => {
    assert.equal(stripAnsi('\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\'), 'click');
  });
  it('shows the last state of a progress bar', () => {
    assert.equal(stripAnsi('10 %\r50 %\r100 %\nnext\r\n'), '100 %\nnext\n');
    assert.equal(stripAnsi('10 %\r20 %\r\r'), '20 %');
    assert.equal(stripAnsi('\r\r'), '');
  });
  it('R10 reads long runs of one character in a time that grows with their length alone', () => {
    const begun = process.cpuUsage();
    assert.equal(stripAnsi(`${'\r'.repeat(400_000)}end`), 'end');
    assert.match(stripAnsi(`\u001b[${'!'.repeat(100_000)}\n`), /^!+\n$/);
    assert.ok(process.cpuUsage(begun).user < 2_000_000);
  });
  it('drops a sequence that is not whole yet', () => assert.equal(stripAnsi('ok\u001b[3'), 'ok'));
  it('leaves no escape character and loses no plain text', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\u001b[31m',
      '\u001b[',
      '\u001b',
      '0',
      ';',
      'm',
      '\u001b]0;',
      '\u0007',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => assert.ok(!stripAnsi(pieces.join('')).includes('\u001b[31m'))),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z \n]*$/), (plain) => assert.equal(stripAnsi(plain), plain)),
    );
  });
});

describe('hidden characters', () => {
  it('are shown where a person decides', () => {
    assert.equal(revealed('rm \u202Etxt\u200B'), 'rm ⟨U+202E⟩txt⟨U+200B⟩');
    assert.equal(revealed('a\u{E0041}b'), 'a⟨U+E0041⟩b');
  });
  it('leave joiners and marks of scripts alone in prose', () => {
    assert.deepEqual(reveal('می\u200Cخواهم', 'prose'), [{ kind: 'text', text: 'می\u200Cخواهم' }]);
    assert.equal(reveal('a\u202Eb', 'prose').length, 3);
  });
  it('are all that is taken out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const pieces = reveal(text);
        const back = pieces
          .map((piece) =>
            piece.kind === 'text' ? piece.text : String.fromCodePoint(parseInt(piece.code.slice(2), 16)),
          )
          .join('');
        assert.equal(back, text);
      }),
    );
  });
});

describe('diffs', () => {
  it('are rows with a sign and a number', () => {
    const rows = parseDiff(EDIT_DIFF);
    assert.deepEqual(rows[0], {
      kind: 'hunk',
      text: 'export function openSession(response: Response, user: User) {',
    });
    assert.deepEqual(rows[2], { kind: 'del', text: "  response.cookie('session', token);", before: 13 });
    assert.equal(rows.filter((row) => row.kind === 'add').length, 4);
    assert.deepEqual(rows.at(-1), { kind: 'same', text: '}', before: 16, after: 19 });
  });
  it('of a replacement show what changes and two lines around it', () => {
    assert.deepEqual(
      replacement('a\nb\nc\nd\ne', 'a\nb\nc\nX\ne').map((row) => `${row.kind}:${row.text}`),
      ['same:b', 'same:c', 'del:d', 'add:X', 'same:e'],
    );
    assert.deepEqual(
      replacement('', 'new\n').map((row) => row.kind),
      ['add'],
    );
  });
});

describe('Markdown', () => {
  it('follows http and https and files, and nothing else', () => {
    for (const url of ['http://a.b', 'https://a.b/c?d', 'HTTPS://A.B']) assert.equal(linkKind(url), 'web');
    for (const url of ['src/a.ts', './a.ts#L3', '../x', '/abs/file', 'C:/x/y.ts'])
      assert.equal(linkKind(url), 'file');
    for (const url of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'command:x',
      'vscode://x',
      '//evil.example',
      '\\\\host\\share',
      '%5C%5Chost%5Cshare',
      '/%5Chost/share',
      '%2F%2Fhost/share',
      ' %20//host/share',
      'file%3A///etc/passwd',
      '#top',
      '',
    ])
      assert.equal(linkKind(url), 'none', url);
  });
  it('makes no link of a path to another machine, however it is written', () => {
    for (const path of ['\\\\\\\\evil\\share', '/\\\\evil/share', '%5c%5cevil/share', '<\\\\\\\\evil\\a b>'])
      for (const block of parseMarkdown(`[b](${path}) ![c](${path})`)) {
        const [inline] = block.node.children;
        assert.deepEqual(
          inline?.children.map((node) => node.token.type),
          ['text'],
          path,
        );
      }
  });
  it('finds the line in a link to a file', () => {
    assert.deepEqual(fileTarget('src/a.ts#L10'), { path: 'src/a.ts', line: 10 });
    assert.deepEqual(fileTarget('src/a.ts#L10-L12'), { path: 'src/a.ts', line: 10 });
    assert.deepEqual(fileTarget('src/a.ts:7:3'), { path: 'src/a.ts', line: 7 });
    assert.deepEqual(fileTarget('src/my%20file.ts'), { path: 'src/my file.ts' });
  });
  it('makes text of HTML', () => {
    const [block] = parseMarkdown('<img src=x onerror=alert(1)>');
    assert.equal(block?.node.token.type, 'paragraph_open');
  });
  it('gives the same block for the same lines while text grows', () => {
    const before = parseMarkdown('# Title\n\nFirst.\n\nSec');
    const after = parseMarkdown('# Title\n\nFirst.\n\nSecond.');
    assert.deepEqual(
      before.slice(0, 2).map((block) => block.source),
      after.slice(0, 2).map((block) => block.source),
    );
  });
  it('reads anything', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseMarkdown(text)));
  });
  it('writes named characters, and leaves names that it does not know', () => {
    assert.equal(
      decodeHTMLStrict('a &lt; b &amp;&amp; c &#x2192; &#8594; &nope; &#0;'),
      'a < b && c → → &nope; \ufffd',
    );
    assert.equal(decodeHTMLStrict('&amp;lt;'), '&lt;');
    assert.equal(decodeHTMLStrict('&constructor; &valueOf;'), '&constructor; &valueOf;');
  });
  it('of a growing text is the same as of the whole, however it came', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'word ',
        '\n',
        '\n\n',
        '- ',
        '-',
        '--- ',
        '===',
        '# ',
        '> ',
        '```',
        '```ts\n',
        '  ',
        '    ',
        '1',
        '1. ',
      ],
      ...[
        '| a | b |\n',
        '|---|---|\n',
        '[x]',
        '[x]: ',
        '[a\\]\nb]: c',
        '[',
        'https://e.org ',
        '*',
        '`',
        '\t',
        '\r\n',
        '<div>',
      ],
    );
    const shapeOf = ({ token, children }: MarkdownNode): unknown => [
      token.type,
      token.tag,
      token.content,
      token.hidden,
      children.map(shapeOf),
    ];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const growing = new GrowingMarkdown();
        let text = '';
        for (const one of pieces) {
          text += one;
          assert.deepEqual(
            growing.parse(text).map(({ node }) => shapeOf(node)),
            parseMarkdown(text).map(({ node }) => shapeOf(node)),
            JSON.stringify(text),
          );
        }
      }),
      { numRuns: 1000, examples: [[['[x]', '\n\n', '| a | b |\n', '> ', '[x]: ', 'a']]] },
    );
  });
  it('R10 is parsed in the time that its length takes, also where a link could begin on each line', () => {
    const growing = new GrowingMarkdown();
    for (const text of ['\n'.repeat(100_000), '[lead in\n\n'.repeat(8_000)]) {
      const blocks = growing.parse(`x\n${text}`).length;
      assert.ok(growing.parse(`x\n${text}y`).length >= blocks);
    }
  });
});

describe('code', () => {
  const plain = (nodes: readonly CodeNode[]): string =>
    nodes.map((node) => (typeof node === 'string' ? node : plain(node.children))).join('');
  it('keeps every character when it is coloured', () => {
    const language = fc.constantFrom('ts', 'json', 'xml', 'bash', 'css', 'python', 'unknown');
    fc.assert(
      fc.property(fc.string(), language, (code, name) => assert.equal(plain(colour(code, name)), code)),
    );
    const markup = '<a href="x">&amp; \'q\'</a>';
    assert.equal(plain(colour(markup, 'html')), markup);
  });
});

describe('numbers', () => {
  it('are written as a person reads them', () => {
    assert.deepEqual([0, 41_000, 723_000, 3_723_000].map(stopwatch), ['0:00', '0:41', '12:03', '1:02:03']);
    assert.deepEqual([12, 1234, 41_000, 123_000, 3_720_000].map(took), [
      '12 ms',
      '1.2 s',
      '41 s',
      '2 m 3 s',
      '1 h 2 m',
    ]);
    assert.deepEqual([812, 1234, 18_012, 1_200_000].map(tokens), ['812', '1.2k', '18k', '1.2M']);
    assert.deepEqual([0, 0.004, 0.04, 12].map(dollars), ['$0', '<$0.01', '$0.04', '$12.00']);
    assert.equal(within('/w/shop', '/w/shop/src/a.ts'), 'src/a.ts');
    assert.equal(within('/w/shop', '/w/shopping/a.ts'), '/w/shopping/a.ts');
  });
});
