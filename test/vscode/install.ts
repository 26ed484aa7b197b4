/**
 * Puts a real VS Code and a browser on this machine when they are missing, from npm and Debian packages only.
 *
 * Owns: the folder `belay-vscode/VERSION` in the user's cache. An installation is made in a folder of its own
 * and completed by a rename, so that what stands under its final name is whole. A kernel lock (`flock`) keeps
 * two runs apart and goes with its process, so there is no stale lock to clear.
 */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { codeServerVersion, serverNodeVersion } from './versions';

/** A real VS Code server: the Node that runs it, and its entry file. */
export interface VsCodeInstallation {
  readonly node: string;
  readonly serverMain: string;
}

/** What the set-up could not do, as one sentence for the person who ran it. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError';
}

const installMinutes = 12;

/** Returns the installed VS Code, after installing it if it is missing (about two minutes, 620 MB). */
export function ensureVsCode(): VsCodeInstallation {
  const home = installationFolder();
  if (!existsSync(home)) {
    refuseOtherPlatforms();
    ensureDebianPackages([
      { name: 'g++', presentIf: '/usr/bin/g++' },
      { name: 'make', presentIf: '/usr/bin/make' },
      { name: 'python3', presentIf: '/usr/bin/python3' },
      { name: 'libkrb5-dev', presentIf: '/usr/include/gssapi/gssapi.h' },
      { name: 'libsecret-1-dev', presentIf: '/usr/include/libsecret-1/libsecret/secret.h' },
    ]);
    console.log(
      `Installing VS Code (code-server ${codeServerVersion}) into ${home}; this takes some minutes.`,
    );
    installUnderLock();
    if (!existsSync(home)) throw new SetUpError(`VS Code was installed, but ${home} is not there.`);
  }
  return installationIn(home);
}

/** The programs that terminals are tried with, and the shell that looks at stores from outside. */
export function ensurePrograms(): void {
  ensureDebianPackages([
    { name: 'sqlite3', presentIf: '/usr/bin/sqlite3' },
    { name: 'vim', presentIf: '/usr/bin/vim' },
    { name: 'less', presentIf: '/usr/bin/less' },
    { name: 'procps', presentIf: '/usr/bin/top' },
    { name: 'python3', presentIf: '/usr/bin/python3' },
  ]);
}

/** Returns the path of a Chromium, after installing Debian's package if there is none. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found) return found;
  ensureDebianPackages([{ name: 'chromium', presentIf: '/usr/bin/chromium' }]);
  const installed = findChromium();
  if (!installed) throw new SetUpError('Chromium is missing. Install it, or set CHROMIUM to its path.');
  return installed;
}

function findChromium(): string | undefined {
  const candidates = [
    process.env['CHROMIUM'],
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path));
}

/** Where the installations are, and what `npm start` keeps. */
export function cacheFolder(): string {
  const configured = process.env['XDG_CACHE_HOME'];
  const caches = configured === undefined || configured === '' ? join(homedir(), '.cache') : configured;
  return join(caches, 'belay-vscode');
}

function installationFolder(): string {
  return join(cacheFolder(), `${codeServerVersion}-node-${serverNodeVersion}`);
}

function installationIn(folder: string): VsCodeInstallation {
  return {
    node: join(folder, 'node_modules', nodePackage(), 'bin', 'node'),
    serverMain: join(folder, 'node_modules', 'code-server', 'lib', 'vscode', 'out', 'server-main.js'),
  };
}

function nodePackage(): string {
  return `node-linux-${process.arch}`;
}

function refuseOtherPlatforms(): void {
  const known = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
  if (!known) {
    throw new SetUpError(
      `The tests in the real VS Code run on Linux (x64, arm64), and this is ${process.platform} ${process.arch}.`,
    );
  }
}

function ensureDebianPackages(packages: readonly { name: string; presentIf: string }[]): void {
  const missing = packages.filter((one) => !existsSync(one.presentIf)).map((one) => one.name);
  if (missing.length === 0) return;
  const command = `apt-get update && apt-get install --yes --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new SetUpError(
      `Missing on this machine: ${missing.join(', ')}. Install it first; on Debian: sudo sh -c "${command}".`,
    );
  }
  console.log(`Installing ${missing.join(', ')} with apt-get.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run('sh', ['-c', command], { env, what: `installing ${missing.join(', ')} with apt-get` });
}

function installUnderLock(): void {
  mkdirSync(cacheFolder(), { recursive: true });
  const lock = join(cacheFolder(), 'lock');
  run('flock', [lock, process.execPath, '--import', 'tsx', __filename, '--locked'], {
    env: process.env,
    what: 'installing VS Code',
  });
}

/** The part that runs while the lock is held. A finished installation of another run is left as it is. */
function installLocked(): void {
  const home = installationFolder();
  if (existsSync(home)) return;
  for (const left of readdirSync(cacheFolder()).filter((name) => name.startsWith('building-'))) {
    rmSync(join(cacheFolder(), left), { recursive: true, force: true });
  }
  const building = mkdtempSync(join(cacheFolder(), 'building-'));
  try {
    writeFileSync(join(building, 'package.json'), '{ "private": true }\n');
    const npm = [
      'install',
      '--prefix',
      building,
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--loglevel',
      'error',
    ];
    run('npm', [...npm, `${nodePackage()}@${serverNodeVersion}`], {
      env: plainNpmEnvironment(),
      what: 'installing Node',
    });
    const made = installationIn(building);
    const path = [join(made.node, '..'), process.env['PATH']].join(delimiter);
    run('npm', [...npm, `${nodePackage()}@${serverNodeVersion}`, `code-server@${codeServerVersion}`], {
      env: { ...plainNpmEnvironment(), PATH: path },
      what: 'installing code-server',
    });
    const version = spawnSync(made.node, [made.serverMain, '--version'], { encoding: 'utf8' });
    if (version.status !== 0) throw new SetUpError(`The installed VS Code does not start: ${version.stderr}`);
    renameSync(building, home);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** npm hands its own settings down as variables; they belong to this project and would bend another install. */
function plainNpmEnvironment(): NodeJS.ProcessEnv {
  const kept =
    /^npm_config_(registry|cache|userconfig|globalconfig|nodedir|cafile|https?_proxy|proxy|noproxy)$/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)),
  );
}

function run(
  command: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; what: string },
): void {
  const ended: SpawnSyncReturns<Buffer> = spawnSync(command, args, {
    env: options.env,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: installMinutes * 60_000,
  });
  if (ended.error) throw new SetUpError(`Failed: ${options.what}: ${ended.error.message}`);
  if (ended.status !== 0)
    throw new SetUpError(`Failed: ${options.what} (exit code ${ended.status}); what it printed is above.`);
}

if (process.argv[2] === '--locked') {
  try {
    installLocked();
  } catch (error) {
    console.error(error instanceof SetUpError ? error.message : error);
    process.exitCode = 1;
  }
}
