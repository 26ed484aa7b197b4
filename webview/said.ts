/** What the host says, in the person's language. */
import { sayIn } from '../protocol/say';

let inWords: (text: string) => string = (text) => text;

/** Takes the translations that the editor sent. */
export function learnSentences(translations: Readonly<Record<string, string>>): void {
  inWords = sayIn(translations);
}

/** A sentence of the host's as the person reads it; anything else comes back as it is. */
export const said = (text: string): string => inWords(text);
