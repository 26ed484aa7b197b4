import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '../..');

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly title: string;
      readonly category?: string;
    }[];
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
  };
}

/** A document that names what is not there misleads; so everything in `code marks` is looked up. */
for (const document of ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'extension/demo/README.md']) {
  describe(`${document} names nothing that is not there`, () => {
    it('files and folders', () => {
      assert.deepEqual(
        codes(document)
          .filter(isPath)
          .filter((path) => !isThere(document, path)),
        [],
      );
    });

    it('npm scripts', () => {
      const missing = codes(document)
        .flatMap(scriptsIn)
        .filter((name) => !(name in manifest().scripts));
      assert.deepEqual(missing, []);
    });

    it('commands and settings', () => {
      const known = [...Object.keys(manifest().contributes.configuration.properties), ...commandTitles()];
      const named = codes(document).filter((text) => /^(belay\.[\w.]+|Belay: .+)$/.test(text));
      assert.deepEqual(
        named.filter((text) => !known.some((one) => one === text || one.startsWith(`${text}.`))),
        [],
      );
    });
  });
}

/** What stands between backticks, in fences line by line. */
function codes(document: string): string[] {
  const path = join(repository, document);
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const fences = [...text.matchAll(/^```[^\n]*\n([^]*?)^```/gm)].flatMap((match) =>
    (match[1] ?? '').split('\n'),
  );
  const inline = [...text.replace(/^```[^]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  return [...fences, ...inline].map((code) => code.trim());
}

/** With a slash or a known ending; not a library, an address, a pattern, or what only a build or a run makes. */
function isPath(code: string): boolean {
  if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(code)) return false;
  if (/^(dist|out|node_modules|~)\b/.test(code)) return false;
  return /\/|\.(ts|tsx|mjs|cjs|json|md|css|svg|png|js)$/.test(code);
}

function isThere(document: string, path: string): boolean {
  return existsSync(join(repository, path)) || existsSync(join(repository, document, '..', path));
}

function scriptsIn(code: string): string[] {
  const shorthands = /\bnpm (start|test)\b/.exec(code);
  const named = [...code.matchAll(/\bnpm run ([\w:-]+)/g)].map((match) => match[1] ?? '');
  return shorthands ? [...named, shorthands[1] ?? ''] : named;
}

function commandTitles(): string[] {
  const texts: Record<string, string> = JSON.parse(
    readFileSync(join(repository, 'package.nls.json'), 'utf8'),
  );
  return manifest().contributes.commands.map((command) => {
    const title = texts[command.title.replaceAll('%', '')] ?? command.title;
    return `${command.category ?? ''}: ${title}`;
  });
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest;
}
