/** Marks what is looked for in the rows that are drawn, by the browser's highlights: the page itself stays as it is. */
import { useEffect } from 'preact/hooks';

const NAME = 'found';
/** Places that are marked at once; more of them are a page full of colour. */
const MARKS_MOST = 500;

export function useMarks(query: string): void {
  useEffect(() => {
    const rows = document.querySelector('.rows');
    const wanted = query.trim().toLowerCase();
    if (rows === null || wanted === '') return undefined;
    let frame: number | undefined;
    const mark = () => {
      frame = undefined;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(rows, wanted)));
    };
    const soon = () => (frame ??= requestAnimationFrame(mark));
    const observer = new MutationObserver(soon);
    observer.observe(rows, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      if (frame !== undefined) cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [query]);
}

function rangesOf(root: Element, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MARKS_MOST; node = walker.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, Math.min(at + wanted.length, node.textContent?.length ?? 0));
      ranges.push(range);
      if (ranges.length >= MARKS_MOST) break;
    }
  }
  return ranges;
}
