/** Colours code. The highlighter's answer is read as a tree of spans and never put into the page as HTML. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

export type CodeNode = string | { readonly scope: string; readonly children: readonly CodeNode[] };

const languages = {
  bash,
  diff,
  go,
  java,
  // The grammar of TypeScript reads it too, and a second one would be a second copy of it.
  javascript: typescript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['js', 'jsx', 'mjs', 'cjs'], { languageName: 'javascript' });

/** Longer code is shown plain: colouring it would hold up the page. */
const HIGHLIGHT_MOST = 32 * 1024;

export function highlight(code: string, language: string): readonly CodeNode[] {
  if (code.length > HIGHLIGHT_MOST || hljs.getLanguage(language) === undefined) return [code];
  return readSpans(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

/** The same code, line by line: what spans lines is coloured on each of them. */
export function linesOf(nodes: readonly CodeNode[]): readonly (readonly CodeNode[])[] {
  const lines: CodeNode[][] = [[]];
  for (const node of nodes) {
    const parts: readonly (readonly CodeNode[])[] =
      typeof node === 'string'
        ? node.split('\n').map((text) => [text])
        : linesOf(node.children).map((children) => [{ scope: node.scope, children }]);
    parts.forEach((part, index) => {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push(...part);
    });
  }
  return lines;
}

const PART = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

interface Open {
  readonly scope: string;
  readonly children: CodeNode[];
}

/** Reads what the highlighter writes: spans with a class, text, and five entities. */
function readSpans(html: string): readonly CodeNode[] {
  const root: Open = { scope: '', children: [] };
  const open: Open[] = [root];
  for (const match of html.matchAll(PART)) {
    const top = open.at(-1) ?? root;
    if (match[1] !== undefined) open.push({ scope: match[1], children: [] });
    else if (match[0] === '</span>') {
      if (open.length > 1) open.pop();
      (open.at(-1) ?? root).children.push(top);
    } else top.children.push(match[2] === undefined ? match[0] : (ENTITIES[match[2]] ?? ''));
  }
  return root.children;
}
