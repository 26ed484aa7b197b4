/**
 * `npm run package`: builds the VSIX for this platform, `out/belay-PLATFORM.vsix`.
 *
 * What ships is gathered in `out/stage` by the lists below, so that a new file in the checkout never ships by
 * accident. Libraries are inside the bundles; the two that bring native binaries lie in `dist/node_modules`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createVSIX } from '@vscode/vsce';
import { outFolder, repository } from './paths';

const platform = `${process.platform}-${process.arch}`;
const stage = join(outFolder, 'stage');

const shipped = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'media',
  'extension/demo',
  'extension/walkthrough',
  'l10n',
];

const nativeModules = [
  ...['package.json', 'LICENSE', 'lib', `prebuilds/${platform}`].map((path) => `node-pty/${path}`),
  ...['package.json', 'LICENSE', 'lib'].map((path) => `@vscode/ripgrep/${path}`),
  `@vscode/ripgrep-${platform}`,
];

/** Needed to build or debug, never to run. */
const superfluous = /\.(pdb|map|d\.ts)$|\/ripgrep[^/]*\/README\.md$|\/media\/icon\.svg$/;

/** Returns the path of the VSIX. */
export async function buildVsix(): Promise<string> {
  rmSync(stage, { recursive: true, force: true });
  const built = spawnSync(process.execPath, ['esbuild.config.mjs', '--package'], {
    cwd: repository,
    stdio: 'inherit',
  });
  if (built.status !== 0) throw new Error('The build failed; its messages are above.');
  for (const path of shipped) {
    if (existsSync(join(repository, path))) copy(join(repository, path), join(stage, path));
  }
  for (const path of nativeModules)
    copy(join(repository, 'node_modules', path), join(stage, 'dist', 'node_modules', path));
  writeManifest();
  const vsix = join(outFolder, `belay-${platform}.vsix`);
  await createVSIX({
    cwd: stage,
    packagePath: vsix,
    target: platform,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
  return vsix;
}

/** The manifest as VS Code reads it, without what only a developer needs. */
function writeManifest(): void {
  const manifest: Record<string, unknown> = JSON.parse(
    readFileSync(join(repository, 'package.json'), 'utf8'),
  );
  const forDevelopers = ['scripts', 'dependencies', 'devDependencies', 'private', 'allowScripts'];
  const kept = Object.fromEntries(Object.entries(manifest).filter(([key]) => !forDevelopers.includes(key)));
  writeFileSync(join(stage, 'package.json'), JSON.stringify(kept, null, 2));
  for (const texts of ['package.nls.json', 'package.nls.de.json'])
    copy(join(repository, texts), join(stage, texts));
  writeFileSync(join(stage, '.vscodeignore'), '# Everything here ships.\n');
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, filter: (path) => !superfluous.test(path) });
}

if (require.main === module) {
  buildVsix().then(
    (vsix) => console.log(`Packaged ${relative(repository, vsix)}`),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
