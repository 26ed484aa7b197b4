/** JSON texts of others: scripts, models, agents, servers and files. */

/** Deeper data is no data that a tool could take or a model could read. */
export const DEPTH_MOST = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS = new Set([0x5b, 0x7b]);
const CLOSES = new Set([0x5d, 0x7d]);

/**
 * Whether a JSON text is nested deeper than `DEPTH_MOST`. `JSON.parse` takes any depth, and whoever walks or writes
 * what came of it then runs out of stack: so it is looked at as text, before it is data.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const one = json.charCodeAt(at);
    if (one === QUOTE) at = endOfText(json, at);
    else if (OPENS.has(one)) {
      depth += 1;
      if (depth > DEPTH_MOST) return true;
    } else if (CLOSES.has(one)) depth -= 1;
  }
  return false;
}

/** Where the text that begins here ends. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; at < json.length; at += 1) {
    const one = json.charCodeAt(at);
    if (one === BACKSLASH) at += 1;
    else if (one === QUOTE) return at;
  }
  return json.length;
}

/** What is nested deeper than anything here takes. */
export class TooDeep extends Error {
  constructor() {
    super(`JSON is taken up to ${String(DEPTH_MOST)} levels deep.`);
    this.name = 'TooDeep';
  }
}

/** Throws `TooDeep`, or the SyntaxError of what is no JSON. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new TooDeep();
  return JSON.parse(text);
}

/** Why arguments could not be read, for the model. */
export const whyUnread = (error: unknown): string =>
  error instanceof TooDeep
    ? `Arguments are nested at most ${String(DEPTH_MOST)} deep.`
    : 'The arguments are not JSON.';
