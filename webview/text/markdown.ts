/**
 * Markdown as a tree. HTML is off, so what looks like HTML is text; nothing of it reaches the page but as
 * elements that `components/markdown.tsx` makes.
 */
import MarkdownIt, { type Env, type Token } from 'markdown-it';

export interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** One block of the top level with the lines that it was made from: equal lines give an equal block. */
export interface MarkdownBlock {
  readonly source: string;
  readonly node: MarkdownNode;
}

const parser = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false });
parser.validateLink = (url) => linkKind(url) !== 'none';
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/**
 * A line that can give a meaning to links anywhere in the text, also inside a quotation or a list. Each part ends where
 * the next begins, and a label at the next bracket, so that a search costs no more than the text is long.
 */
const DEFINITION = /^[ \t>*+\-\d.)]*\[(?:[^[\]\\]|\\.)+\]:/ms;

export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  return blocksOf(text).map(({ block }) => block);
}

/**
 * The same for a text that only grows: what cannot change any more is kept, so that each addition costs no more
 * than the end of the text. A line that is not whole yet can still turn the last block into a part of the one
 * before it, so the last two are parsed again.
 */
export class GrowingMarkdown {
  #text = '';
  /** Blocks that stay, and where the rest begins. */
  #settled: readonly MarkdownBlock[] = [];
  #offset = 0;

  parse(text: string): readonly MarkdownBlock[] {
    if (!text.startsWith(this.#text) || DEFINITION.test(text.slice(this.#offset))) {
      this.#settled = [];
      this.#offset = 0;
    }
    this.#text = text;
    const rest = text.slice(this.#offset);
    const blocks = blocksOf(rest);
    const all = [...this.#settled, ...blocks.map(({ block }) => block)];
    const open = blocks.at(-2);
    if (open !== undefined && open.line > 0 && !DEFINITION.test(rest)) {
      this.#settled = all.slice(0, -2);
      this.#offset += lengthOf(rest, open.line);
    }
    return all;
  }
}

/** `line`: where the block begins, counted from the begin of the text. */
function blocksOf(text: string): readonly { readonly block: MarkdownBlock; readonly line: number }[] {
  const env: Env = {};
  const nodes = nest(parser.parse(text, env));
  const lines = text.split('\n');
  // With link definitions a block depends on lines outside it, so every block is made anew with the text.
  const salt = env.references === undefined ? '' : text;
  return nodes.map((node) => {
    const [from, to] = node.token.map ?? [0, lines.length];
    return { block: { node, source: salt + lines.slice(from, to).join('\n') }, line: from };
  });
}

/** Characters of the first so many lines, their ends included. */
function lengthOf(text: string, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line++) at = text.indexOf('\n', at) + 1;
  return at;
}

/**
 * `web`: opened by the editor. `file`: a path that the editor opens if it lies in the session's folders. Everything
 * else is shown as text. The decision is about what would be opened, which is the decoded path.
 */
export function linkKind(url: string): 'web' | 'file' | 'none' {
  const trimmed = url.trim();
  if (/^https?:\/\/[^\s/]/i.test(trimmed)) return 'web';
  if (trimmed === '' || /^[#?&]/.test(trimmed)) return 'none';
  return [trimmed, decode(trimmed).trim()].some(leadsAway) ? 'none' : 'file';
}

/** A scheme, which has two letters or more, so that a Windows drive is none; or another machine, as Windows writes it. */
function leadsAway(path: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]+:|[\\/]{2})/i.test(path);
}

/** `src/a.ts#L10`, `src/a.ts:10`, `src/a.ts`. */
export function fileTarget(url: string): { readonly path: string; readonly line?: number } {
  const [whole = ''] = url.split('?');
  const match = /^(.*?)(?:#L?(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/.exec(whole);
  const line = Number(match?.[2] ?? match?.[3] ?? 0);
  const path = decode((match?.[1] ?? whole).replace(/#.*$/, ''));
  return line > 0 ? { path, line } : { path };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function nest(tokens: readonly Token[]): readonly MarkdownNode[] {
  const root: { token?: Token; children: MarkdownNode[] } = { children: [] };
  const open: { token?: Token; children: MarkdownNode[] }[] = [root];
  for (const token of tokens) {
    const top = open.at(-1) ?? root;
    if (token.nesting === 1) {
      const node = { token, children: [] };
      top.children.push(node);
      open.push(node);
    } else if (token.nesting === -1) {
      if (open.length > 1) open.pop();
    } else {
      top.children.push({ token, children: token.type === 'inline' ? nest(token.children ?? []) : [] });
    }
  }
  return root.children;
}
