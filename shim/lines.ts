import { StringDecoder } from 'node:string_decoder';

/** Longest line that is taken, characters: pictures come as text. */
const LINE_CHARS = 64 * 1024 * 1024;

/** Cuts a stream of bytes into lines at `\n` alone; one that is too long is dropped. */
export function lines(take: (line: string) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest: string[] = [];
  let length = 0;
  return (bytes) => {
    const pieces = decoder.write(bytes).split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      if (length + piece.length <= LINE_CHARS) take(rest.join('') + piece);
      rest = [];
      length = 0;
    }
    length += last.length;
    if (length <= LINE_CHARS) rest.push(last);
    else rest = [];
  };
}
