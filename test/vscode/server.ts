/**
 * Starts a real VS Code server with an extension and stops it without a trace.
 *
 *   const code = await startVsCode({ workspace: '/abs/folder', extensionPath: repository });
 *   const workbench = await openWorkbench(code.url());
 *   code.extensionHostPids();                 // to kill one with `process.kill(pid, 'SIGKILL')`
 *   await code.stop();
 *
 * Owns: the server process and everything that came from it, the port, and the data folders that it made itself.
 * A `userDataDir` or `extensionsDir` that the caller names is used as it is and stays.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureVsCode, type VsCodeInstallation } from './install';
import { RunMark, type MarkedProcess } from './processes';
import { ServerLog } from './serverLog';

export interface VsCodeOptions {
  /** The folder to open, absolute. */
  readonly workspace: string;
  /** The extension's folder, absolute; leave it out to run only what is installed in `extensionsDir`. */
  readonly extensionPath?: string;
  /**
   * How `extensionPath` is loaded. As `installed` (the default) it is linked among the installed extensions, and
   * VS Code behaves as it does for a user. As `developed` it is loaded by the page's address, which is what a
   * suite inside the extension host needs; VS Code then shows no notifications on the screen.
   */
  readonly extensionAs?: 'installed' | 'developed';
  /** Other extensions that are installed as well, by their folders. */
  readonly alongside?: readonly string[];
  /** Which of the extensions that VS Code brings along are there, by their folders' names; all, if not said. */
  readonly builtIn?: readonly string[];
  /** Kept after the run; a second run with the same folder sees what the first one stored. */
  readonly userDataDir?: string;
  readonly extensionsDir?: string;
  /** True starts with workspace trust switched off, so that every folder is trusted (the default). */
  readonly trustDisabled?: boolean;
  /** Added to the environment of the server and so of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** User settings, written before the first start with this `userDataDir`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface VsCode {
  readonly port: number;
  readonly userDataDir: string;
  url(testsPath?: string): string;
  extensionHostPids(): readonly number[];
  /** Kills the extension hosts of windows that are closed; the server would keep them for windows that come back. */
  endExtensionHosts(): Promise<void>;
  /** Resolves when the server has printed this, before or after now. */
  said(text: string): Promise<void>;
  /** Everything that the server started and that still runs, the server included. */
  processes(): readonly MarkedProcess[];
  /** Ends the server and all that came from it. Returns the processes that did not end when asked. */
  stop(): Promise<readonly MarkedProcess[]>;
}

const installMs = 60_000;

/**
 * Of the ninety extensions that VS Code brings along, those that a window needs to look as it does for a person. A test
 * of Belay has no use for the others (languages, their servers, Git), which cost two seconds of each window.
 */
export const FEW_BUILT_IN: readonly string[] = ['theme-defaults', 'theme-seti', 'configuration-editing'];

/** VS Code's own chat starts agents and downloads of its own, and takes a third of the window. */
const quietSettings = {
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
};

export async function startVsCode(options: VsCodeOptions): Promise<VsCode> {
  const installation = ensureVsCode();
  const scratch = mkdtempSync(join(tmpdir(), 'belay-vscode-'));
  const userDataDir = options.userDataDir ?? join(scratch, 'user');
  const folders = {
    userDataDir,
    extensionsDir: options.extensionsDir ?? join(scratch, 'extensions'),
    scratch,
  };
  writeUserSettings(userDataDir, options.settings ?? {});
  if (options.extensionPath && options.extensionAs !== 'developed') {
    linkExtension(options.extensionPath, folders.extensionsDir);
  }
  for (const other of options.alongside ?? []) linkExtension(other, folders.extensionsDir);
  if (options.builtIn !== undefined) linkBuiltIn(installation, options.builtIn, join(scratch, 'built-in'));
  const mark = new RunMark();
  const port = await freePort();
  // A pause reaches all windows of a user: those of another test must be another user's.
  const runtime = join(scratch, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const child = spawn(installation.node, serverArguments(installation, port, folders, options), {
    env: { ...process.env, XDG_RUNTIME_DIR: runtime, ...options.env, ...mark.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const stop = async (): Promise<readonly MarkedProcess[]> => {
    const stubborn = await mark.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
    return stubborn;
  };
  const log = new ServerLog(child);
  try {
    await log.listening();
  } catch (error) {
    await stop();
    throw error;
  }
  const isExtensionHost = (one: MarkedProcess): boolean => one.command.includes('--type=extensionHost');
  return {
    port,
    userDataDir,
    url: (testsPath) => pageUrl(port, options, testsPath),
    extensionHostPids: () =>
      mark
        .processes()
        .filter(isExtensionHost)
        .map((one) => one.pid),
    endExtensionHosts: () => mark.kill(isExtensionHost),
    said: (text) => log.said(text),
    processes: () => mark.processes(),
    stop,
  };
}

/** Installs a packaged extension into `extensionsDir`, as a user would. */
export function installVsix(vsix: string, folders: { extensionsDir: string; userDataDir: string }): void {
  const installation = ensureVsCode();
  const ended = spawnSync(
    installation.node,
    [
      ...[installation.serverMain, '--install-extension', vsix, '--accept-server-license-terms'],
      ...['--extensions-dir', folders.extensionsDir, '--user-data-dir', folders.userDataDir],
      ...['--server-data-dir', folders.userDataDir],
    ],
    { encoding: 'utf8', timeout: installMs },
  );
  if (ended.status !== 0) throw new Error(`VS Code refuses ${vsix}: ${ended.stdout}${ended.stderr}`);
}

interface Folders {
  readonly userDataDir: string;
  readonly extensionsDir: string;
  readonly scratch: string;
}

function serverArguments(
  at: VsCodeInstallation,
  port: number,
  folders: Folders,
  options: VsCodeOptions,
): string[] {
  return [
    at.serverMain,
    ...(options.extensionAs === 'developed' ? ['--enable-smoke-test-driver'] : []),
    '--without-connection-token',
    '--accept-server-license-terms',
    ...['--host', '127.0.0.1', '--port', String(port)],
    '--disable-telemetry',
    ...(options.trustDisabled === false ? [] : ['--disable-workspace-trust']),
    ...['--user-data-dir', folders.userDataDir, '--server-data-dir', folders.userDataDir],
    ...['--extensions-dir', folders.extensionsDir],
    ...(options.builtIn === undefined ? [] : ['--builtin-extensions-dir', join(folders.scratch, 'built-in')]),
  ];
}

function pageUrl(port: number, options: VsCodeOptions, testsPath: string | undefined): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${resolve(path)}`;
  const payload = [['skipWelcome', 'true']];
  if (options.extensionPath && options.extensionAs === 'developed')
    payload.push(['extensionDevelopmentPath', remote(options.extensionPath)]);
  if (testsPath) payload.push(['extensionTestsPath', remote(testsPath)]);
  const query = new URLSearchParams({ folder: options.workspace, payload: JSON.stringify(payload) });
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}

/** VS Code takes what it finds in this folder as installed, a link as well as a folder. */
function linkExtension(extensionPath: string, extensionsDir: string): void {
  const manifest: { publisher: string; name: string; version: string } = JSON.parse(
    readFileSync(join(extensionPath, 'package.json'), 'utf8'),
  );
  mkdirSync(extensionsDir, { recursive: true });
  const link = join(extensionsDir, `${manifest.publisher}.${manifest.name}-${manifest.version}`);
  if (!existsSync(link)) symlinkSync(extensionPath, link);
}

function linkBuiltIn({ serverMain }: VsCodeInstallation, names: readonly string[], into: string): void {
  const all = resolve(serverMain, '..', '..', 'extensions');
  mkdirSync(into);
  for (const name of names) symlinkSync(join(all, name), join(into, name));
}

function writeUserSettings(userDataDir: string, settings: Readonly<Record<string, unknown>>): void {
  for (const folder of [join(userDataDir, 'User'), join(userDataDir, 'Machine')]) {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'settings.json');
    if (!existsSync(file)) writeFileSync(file, JSON.stringify({ ...quietSettings, ...settings }, null, 2));
  }
}

/** Makes a user of these settings who has never been here. No window may be open. */
export function startAnew(userDataDir: string, settings: Readonly<Record<string, unknown>>): void {
  for (const folder of ['User', 'Machine'])
    rmSync(join(userDataDir, folder), { recursive: true, force: true });
  writeUserSettings(userDataDir, settings);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  server.close();
  await once(server, 'close');
  return address.port;
}
