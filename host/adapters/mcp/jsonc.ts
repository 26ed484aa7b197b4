import { parseJson } from '../../base/json';

/** JSON as VS Code writes it: with comments and commas behind the last entry. */
export function parseJsonc(text: string): unknown {
  const whole = text.replace(/^\uFEFF/, '');
  return parseJson(without(whole, strayIn(whole)));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Comments, and commas that only spaces and comments part from a closing bracket. In one pass: the text is anybody's,
 * and each of its characters is looked at a bounded number of times (R10).
 */
function strayIn(text: string): readonly Span[] {
  const stray: Span[] = [];
  let comma: number | undefined;
  let from = 0;
  while (from < text.length) {
    const one = text.charAt(from);
    const to = endOf(text, from);
    if (one === '/' && to > from + 1) stray.push({ from, to });
    else if (one === ',') comma = from;
    else if (!SPACES.has(one)) {
      if (comma !== undefined && (one === '}' || one === ']')) stray.push({ from: comma, to: comma + 1 });
      comma = undefined;
    }
    from = to;
  }
  return stray.sort((a, b) => a.from - b.from);
}

const SPACES = new Set([' ', '\t', '\n', '\r']);

/** A space stands in the place of each. */
function without(text: string, stray: readonly Span[]): string {
  const starts = [0, ...stray.map(({ to }) => to)];
  return starts.map((start, n) => text.slice(start, stray[n]?.from)).join(' ');
}

/** Where the string, the comment or the other character ends that begins here; an open one ends with the text. */
function endOf(text: string, from: number): number {
  switch (text.charAt(from)) {
    case '"':
      return endOfString(text, from);
    case '/':
      return endOfComment(text, from);
    default:
      return from + 1;
  }
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (one === '\\') at += 1;
    else if (one === '"') return at + 1;
  }
  return text.length;
}

function endOfComment(text: string, from: number): number {
  if (text.startsWith('/*', from)) {
    const close = text.indexOf('*/', from + 2);
    return close < 0 ? text.length : close + 2;
  }
  if (!text.startsWith('//', from)) return from + 1;
  let at = from;
  while (at < text.length && text.charAt(at) !== '\n' && text.charAt(at) !== '\r') at += 1;
  return at;
}
