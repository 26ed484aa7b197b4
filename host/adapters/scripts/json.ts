/** JSON texts of scripts, before the host takes them as data. */

/**
 * How deep a JSON text is nested. What a script sends can be nested deeper than the host's own stack is; that is
 * looked at as text, and nothing deeper than `DEPTH_MOST` is ever parsed.
 */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const one = json[at];
    if (inText) {
      if (one === '\\') at += 1;
      else if (one === '"') inText = false;
    } else if (one === '"') inText = true;
    else if (one === '{' || one === '[') deepest = Math.max(deepest, ++depth);
    else if (one === '}' || one === ']') depth -= 1;
  }
  return deepest;
}

/** Deeper data is no data that a tool could take or a model could read. */
export const DEPTH_MOST = 128;
