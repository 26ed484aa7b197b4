import { parseJson } from '../../base/json';

/** JSON as VS Code writes it: with comments and commas behind the last entry. */
export function parseJsonc(text: string): unknown {
  return parseJson(withoutTrailingCommas(withoutComments(text.replace(/^\uFEFF/, ''))));
}

/** A string, a comment, or any other character: what is looked for in one may be part of another. */
const COMMENT = /"(?:[^"\\]|\\.)*"|\/\/[^\n\r]*|\/\*[\s\S]*?\*\//g;
const COMMA = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

const withoutComments = (text: string): string =>
  text.replace(COMMENT, (found) => (found.startsWith('"') ? found : found.replace(/[^\n\r]/g, ' ')));

const withoutTrailingCommas = (text: string): string =>
  text.replace(COMMA, (found) => (found.startsWith('"') ? found : ' '));
