/** The second language is whole: each text has its German one, with the same places to fill in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STRINGS } from '../../webview/strings';

const repository = join(__dirname, '../..');
const read = (file: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(repository, file), 'utf8')) as Record<string, string>;

const PAIRS: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['package.nls.json', read('package.nls.json'), 'package.nls.de.json'],
  ['l10n/bundle.l10n.json', read('l10n/bundle.l10n.json'), 'l10n/bundle.l10n.de.json'],
  ['l10n/host.json', read('l10n/host.json'), 'l10n/host.de.json'],
  ['webview/strings.ts', STRINGS, 'l10n/page.de.json'],
];

/** What is filled in, and the commands that a text links to. */
const placesOf = (text: string): string[] => [
  ...[...text.matchAll(/\{\w+\}/g)].map(([place]) => place),
  ...[...text.matchAll(/\]\((command:[^)]*)\)/g)].map(([, command]) => command ?? ''),
];

describe('the German texts', () => {
  for (const [name, english, file] of PAIRS) {
    it(`of ${name} are all there, and none that is not used`, () => {
      const german = read(file);
      const missing = Object.keys(english).filter((key) => (german[key] ?? '') === '');
      const unused = Object.keys(german).filter((key) => english[key] === undefined);
      assert.deepEqual({ missing, unused }, { missing: [], unused: [] });
    });

    it(`of ${name} have the same places to fill in`, () => {
      const german = read(file);
      const differing = Object.entries(english).filter(
        ([key, text]) =>
          placesOf(german[key] ?? '')
            .sort()
            .join() !== placesOf(text).sort().join(),
      );
      assert.deepEqual(
        differing.map(([key]) => key),
        [],
      );
    });
  }
});
