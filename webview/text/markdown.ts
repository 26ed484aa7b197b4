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

export function parseMarkdown(text: string): readonly MarkdownBlock[] {
  const env: Env = {};
  const nodes = nest(parser.parse(text, env));
  const lines = text.split('\n');
  // With link definitions a block depends on lines outside it, so every block is made anew with the text.
  const salt = env.references === undefined ? '' : text;
  return nodes.map((node) => {
    const [from, to] = node.token.map ?? [0, lines.length];
    return { node, source: salt + lines.slice(from, to).join('\n') };
  });
}

/** `web`: opened by the editor. `file`: a path inside the session's folder. Everything else is shown as text. */
export function linkKind(url: string): 'web' | 'file' | 'none' {
  const trimmed = url.trim();
  if (/^https?:\/\/[^\s/]/i.test(trimmed)) return 'web';
  // A scheme has two letters or more, so that a Windows drive is none.
  if (/^[a-z][a-z0-9+.-]+:/i.test(trimmed) || trimmed.startsWith('//') || trimmed.startsWith('\\\\'))
    return 'none';
  if (trimmed === '' || /^[#?&]/.test(trimmed)) return 'none';
  return 'file';
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
