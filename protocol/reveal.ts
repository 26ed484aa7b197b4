/**
 * Makes characters visible that a reader cannot see but that change what is read: direction overrides, invisible
 * and control characters. What is shown to be decided on must be what will run.
 */
export type Piece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'mark'; readonly code: string };

// Characters that nobody can see are what this file is about.
/* eslint-disable no-control-regex, no-misleading-character-class */
/** C0 and C1 but tab and newline; soft hyphen; marks, embeddings, overrides, isolates; zero width; tags. */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;

/** In prose only what reorders or hides text: joiners and marks are part of how some languages are written. */
const REORDERING =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E0FFF}]/gu;

export function reveal(text: string, kind: 'code' | 'prose' = 'code'): readonly Piece[] {
  const pattern = kind === 'code' ? INVISIBLE : REORDERING;
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) });
    pieces.push({ kind: 'mark', code: codeOf(match[0]) });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** The same as plain text, for labels: `rm ⟨U+202E⟩txt`. */
export function revealed(text: string): string {
  return reveal(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `⟨${piece.code}⟩`))
    .join('');
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
