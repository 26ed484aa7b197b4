/**
 * Colours code, in a bundle of its own that the page reads with the first code it shows. The highlighter's answer is
 * read as a tree of spans and never put into the page as HTML.
 */
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
import type { CodeNode } from './highlight';

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

/** A language that it does not know stays plain. */
export function colour(code: string, language: string): readonly CodeNode[] {
  if (hljs.getLanguage(language) === undefined) return [code];
  return readSpans(hljs.highlight(code, { language, ignoreIllegals: true }).value);
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
