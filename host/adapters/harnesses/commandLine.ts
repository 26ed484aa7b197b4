/** The command that a person means by what an agent hands to its shell. */

const WRAPPER = /^(?:\S*\/)?(?:ba|z|da|)sh -l?c (.*)$/s;

/** Without the shell around it, where the rest is one quoted word; else as it is. */
export function unwrapped(command: string): string {
  const rest = WRAPPER.exec(command)?.[1];
  return rest === undefined ? command : (quotedWord(rest) ?? command);
}

/** The text of exactly one word in shell quotes: 'it'\''s', "a b", plain. */
function quotedWord(text: string): string | undefined {
  let word = '';
  for (let rest = text; rest !== '';) {
    const part = /^'([^']*)'|^"((?:[^"\\$`]|\\.)*)"|^\\(.)|^([^\s'"\\$`|&;<>()]+)/s.exec(rest);
    if (part === null) return undefined;
    word += part[1] ?? part[2]?.replace(/\\(["\\$`])/g, '$1') ?? part[3] ?? part[4] ?? '';
    rest = rest.slice(part[0].length);
  }
  return word;
}

/** One word of a command line, so that a shell reads it as it is. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
