/** What the host says, in the language of the editor. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'vscode';
import { sayIn } from '../protocol';

/**
 * One file of translations, `l10n/KIND.LANGUAGE.json`: `page` by the keys of `webview/strings.ts`, `host` by the
 * sentences themselves. What is missing there is shown in English.
 */
export function translations(folder: string, kind: 'page' | 'host'): Readonly<Record<string, string>> {
  const { language } = env;
  for (const name of [language, language.split('-')[0]]) {
    try {
      const texts: unknown = JSON.parse(readFileSync(join(folder, `${kind}.${name}.json`), 'utf8'));
      if (typeof texts !== 'object' || texts === null) return {};
      return Object.fromEntries(
        Object.entries(texts).flatMap(([key, text]: [string, unknown]) =>
          typeof text === 'string' ? [[key, text]] : [],
        ),
      );
    } catch {
      // There is no translation into this language, or not into this variant of it.
    }
  }
  return {};
}

let inWords: (text: string) => string = (text) => text;

/** Once, before anything is shown. */
export function learnSentences(folder: string): void {
  inWords = sayIn(translations(folder, 'host'));
}

/** A sentence of the host's as the person reads it; anything else comes back as it is. */
export const said = (text: string): string => inWords(text);
