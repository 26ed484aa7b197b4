import { COMPOSER } from './strings/composer';
import { CONVERSATION } from './strings/conversation';
import { PAGE } from './strings/page';
import { REQUEST } from './strings/request';

/**
 * Every text of the page, in English, under the key by which a translation replaces it. `{name}` is filled in.
 * Sentence case, short, active, in the person's words: a lapse, a withdrawal and a stop are never called a
 * denial, and a denial never an error.
 */
export const STRINGS = { ...PAGE, ...CONVERSATION, ...REQUEST, ...COMPOSER } as const;

export type StringKey = keyof typeof STRINGS;

let translations: Readonly<Record<string, string>> = {};

/** Takes the translations that the editor sent; a key that it lacks is shown in English. */
export function setTranslations(strings: Readonly<Record<string, string>>): void {
  translations = strings;
}

export function t(key: StringKey, values: Readonly<Record<string, string | number>> = {}): string {
  const text = translations[key] ?? STRINGS[key];
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** True for keys made at run time, for example from a code of the host that this page may not know yet. */
export function isStringKey(key: string): key is StringKey {
  return Object.hasOwn(STRINGS, key);
}
