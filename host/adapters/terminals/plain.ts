/** What a terminal printed, as plain text: for a reader that is no terminal. Pure. */

/** Escape sequences: control (CSI), commands to the system (OSC) and other strings, and those of two characters. */
const SEQUENCE =
  // eslint-disable-next-line no-control-regex -- These characters are what is looked for.
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;
/** The beginning of one, at the end. Longer than this it is none. */
// eslint-disable-next-line no-control-regex -- These characters are what is looked for.
const BEGUN = /\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)?$/;
const BEGUN_MOST = 4_096;
/** What is not text, but for tab and new line. */
// eslint-disable-next-line no-control-regex -- These characters are what is looked for.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
const NOT_SHOWN = new RegExp(`${SEQUENCE.source}|${CONTROL.source}`, 'g');

/** Moves the cursor over the screen, or shows another one: line by line the text makes no sense. */
// eslint-disable-next-line no-control-regex -- These characters are what is looked for.
const PAINTS = /\x1b\[(?:\d*(?:;\d*)?[HfABd]|\??[0-3]?J|\?(?:47|1047|1049)[hl])/;

export const paints = (text: string): boolean => PAINTS.test(text);

/** Lines as they stood when they were left: without colours, what was overwritten, and what was erased. */
export function plain(text: string): string {
  return text
    .replace(SEQUENCE, '')
    .split('\n')
    .map((line) => erased(overwritten(line)))
    .join('\n');
}

/** What `plain` leaves of a text, one part for each run of characters that are shown, with the place of each in it. */
export function shownParts(text: string): readonly { readonly at: number; readonly text: string }[] {
  const parts: { at: number; text: string }[] = [];
  let at = 0;
  for (const hidden of text.matchAll(NOT_SHOWN)) {
    if (hidden.index > at) parts.push({ at, text: text.slice(at, hidden.index) });
    at = hidden.index + hidden[0].length;
  }
  if (at < text.length) parts.push({ at, text: text.slice(at) });
  return parts;
}

/** Where the rest of `text` begins that has to be read together with what comes. */
export function unfinished(text: string): number {
  const end = endOfSequences(text);
  return end === text.length && text.endsWith('\r') ? end - 1 : end;
}

/** The same where only sequences matter, not lines. */
export function endOfSequences(text: string): number {
  const found = BEGUN.exec(text);
  return found !== null && text.length - found.index <= BEGUN_MOST ? found.index : text.length;
}

/**
 * A carriage return goes to the beginning of the line, and what follows stands over what was there. Each character
 * is written once, so that a long line with many of them costs no more than its length.
 */
function overwritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  const written = line.slice(0, end);
  if (!written.includes('\r')) return written;
  const cells: string[] = [];
  let at = 0;
  for (const character of written) {
    if (character === '\r') at = 0;
    else cells[at++] = character;
  }
  return cells.join('');
}

function erased(line: string): string {
  if (!line.includes('\b')) return line.replace(CONTROL, '');
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('').replace(CONTROL, '');
}

/** Questions that a terminal answers by typing: they are for one viewer, and never for what is shown again. */
const QUERY =
  // eslint-disable-next-line no-control-regex -- These characters are what is looked for.
  /\x1b(?:\[[>=]?\d*c|\[\??[56]n|\[>\d*q|\[\??\d+\$p|\[\d*(?:;\d*)*t|\](?:4;\d+|1[0-9]);\?(?:\x07|\x1b\\)|P[+$]q[^\x1b]*\x1b\\)/g;

export const withoutQueries = (text: string): string => text.replace(QUERY, '');
