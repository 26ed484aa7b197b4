/**
 * Stands in for `vscode` where only its words are used, so that what a person reads can be tested without an editor.
 * Import this file before anything of the extension.
 */
import type Module from 'node:module';
import { createRequire } from 'node:module';

const texts = {
  l10n: {
    t: (text: string, ...values: readonly unknown[]): string =>
      text.replace(/\{(\d+)\}/g, (_all, index: string) => String(values[Number(index)])),
  },
};

interface Loader {
  _load: (this: unknown, request: string, ...rest: unknown[]) => unknown;
}

const loader = createRequire(__filename)('node:module') as typeof Module & Loader;
const load = loader._load;
loader._load = function (request, ...rest) {
  return request === 'vscode' ? texts : load.call(this, request, ...rest);
};
