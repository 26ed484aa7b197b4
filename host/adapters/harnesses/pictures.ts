/** Pictures on the way to an agent that takes none: it is told of them, so that nothing is left out silently (R10). */

/** The prompt with a line on pictures that do not go with it. */
export function withoutPictures(text: string, pictures: number): string {
  if (pictures === 0) return text;
  const what = pictures === 1 ? 'A picture was attached' : `${String(pictures)} pictures were attached`;
  const line = `[${what} that you cannot be given here. Tell the person so before you go on without.]`;
  return text === '' ? line : `${text}\n\n${line}`;
}
