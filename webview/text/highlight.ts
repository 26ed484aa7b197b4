/** Code in colours, once the bundle of the highlighter is there; plain until then. */
import { signal } from '@preact/signals';
import { loadBeside } from './beside';

export type CodeNode = string | { readonly scope: string; readonly children: readonly CodeNode[] };
export type Colour = (code: string, language: string) => readonly CodeNode[];

declare global {
  interface Window {
    /** Set by the bundle of the highlighter. */
    belayColour?: Colour;
  }
}

/** Longer code is shown plain: colouring it would hold up the page. */
const HIGHLIGHT_MOST = 32 * 1024;

const colour = signal<Colour | undefined>(undefined);
let asked = false;

export function highlight(code: string, language: string): readonly CodeNode[] {
  if (language === '' || code.length > HIGHLIGHT_MOST) return [code];
  if (!asked) {
    asked = true;
    loadBeside('highlighter.js', () => (colour.value = window.belayColour));
  }
  return colour.value?.(code, language) ?? [code];
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
