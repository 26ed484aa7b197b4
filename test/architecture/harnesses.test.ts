import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../..');
const ADAPTERS = 'host/adapters/harnesses';
const FILES = ['client.ts', 'mapApprovals.ts', 'mapEvents.ts', 'process.ts', 'resume.ts'];

const folders = readdirSync(join(root, ADAPTERS)).filter((name) =>
  statSync(join(root, ADAPTERS, name)).isDirectory(),
);

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

/** A text that names one agent, as code that asks which one it is would have it. */
const NAMES = /['"`](codex|codex-exec|claude|acp)(:[^'"`]*)?['"`]/;
/** Where the two adapters of codex find its program. */
const SHARED = `${ADAPTERS}/codexProgram.ts`;

describe('outside agents', () => {
  for (const folder of folders)
    it(`H1 ${folder} has the same five files as the others`, () =>
      assert.deepEqual(readdirSync(join(root, ADAPTERS, folder)).sort(), FILES));

  it('H1 C5 no code outside an adapter’s own folder asks which agent it is', () => {
    const own = (path: string) => folders.some((folder) => path.startsWith(`${ADAPTERS}/${folder}/`));
    const asking = ['host', 'extension', 'webview', 'protocol']
      .flatMap(sources)
      .filter((path) => !own(path) && path !== SHARED)
      .filter((path) => NAMES.test(readFileSync(join(root, path), 'utf8')));
    assert.deepEqual(asking, []);
  });

  it('H1 an adapter’s folder knows no other adapter’s', () => {
    const crossing = folders.flatMap((folder) =>
      sources(`${ADAPTERS}/${folder}`).filter((path) =>
        folders.some(
          (other) => other !== folder && readFileSync(join(root, path), 'utf8').includes(`'../${other}/`),
        ),
      ),
    );
    assert.deepEqual(
      crossing.map((path) => relative(root, join(root, path))),
      [],
    );
  });
});
