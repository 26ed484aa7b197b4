/** The words of a POSIX shell: what each comes to, as far as that stands in the line. */
import type { Word } from '../../engine/approvals/reading';
import type { SyntaxNode } from './grammars';

type Live = Extract<Word, object>;

export function wordOf(node: SyntaxNode): Word {
  switch (node.type) {
    case 'command_name': {
      const [only, ...others] = node.children;
      return only !== undefined && only !== null && others.length === 0 ? wordOf(only) : { raw: node.text };
    }
    case 'word':
    case 'number':
      return bare(node.text);
    case 'raw_string':
      return node.text.slice(1, -1);
    case 'string':
      return quoted(node);
    // Not every shell knows these two: what they come to counts only for what is denied.
    case 'ansi_c_string':
      return { raw: node.text, value: withoutAnsi(node.text.slice(2, -1)) };
    case 'translated_string':
      return { raw: node.text, value: node.text.slice(2, -1) };
    case 'concatenation':
      return joined(node);
    default:
      return { raw: node.text };
  }
}

/** Patterns, braces and homes, which the shell replaces; `=x` is a path in zsh. */
const LIVE = /[*?[\]{}]|^[~=]|[:=]~/;

/** Without quotes: a backslash takes the meaning of the next character away. */
function bare(text: string): Word {
  const value = text.replace(/\\(.)/gs, '$1');
  // Nothing for the braces to be replaced by: `find` and `xargs` want them.
  const plain = text.replace(/\\./gs, '').replace(/\{\}/g, '');
  return LIVE.test(plain) ? { raw: text, value } : value;
}

/** With variables in it, what it comes to is a guess: it counts only for what is denied. */
function quoted(node: SyntaxNode): Word {
  const value = node.text.slice(1, -1).replace(/\\([$`"\\])/g, '$1');
  const isPlain = node.children.every((child) => child?.type === '"' || child?.type === 'string_content');
  return isPlain ? value : { raw: node.text, value };
}

function joined(node: SyntaxNode): Word {
  // The grammar takes `{}` apart.
  if (/^[\w./:=,@%+-]*\{\}[\w./:=,@%+-]*$/.test(node.text)) return node.text;
  const pieces = node.children.map((child) => (child === null ? { raw: '' } : wordOf(child)));
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  const values = pieces.map((piece) => (typeof piece === 'string' ? piece : piece.value));
  const live: Live = { raw: node.text };
  return values.every((value) => value !== undefined) ? { ...live, value: values.join('') } : live;
}

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
};

function withoutAnsi(text: string): string {
  return text
    .replace(/\\x([\da-f]{1,2})/gi, hex)
    .replace(/\\u([\da-f]{1,4})/g, hex)
    .replace(/\\U([\da-f]{1,8})/g, hex)
    .replace(/\\([0-7]{1,3})/g, (_whole, digits: string) => codePoint(parseInt(digits, 8)))
    .replace(/\\(.)/gs, (_whole, letter: string) => ANSI[letter] ?? letter);
}

const hex = (_whole: string, digits: string): string => codePoint(parseInt(digits, 16));

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');
