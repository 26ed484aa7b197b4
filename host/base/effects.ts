/**
 * The only door to effects for adapters: whatever starts a process or touches a file starts here, inside a
 * `Launch`, in the tick in which the cord was checked (P2). Nothing here waits before its effect.
 */
import {
  execFile,
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
} from 'node:child_process';
import { constants } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { open, readlink, realpath, rmdir, stat, type FileHandle } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Launch } from './launch';
import { startOf, type Start } from './programs';

export type { ChildProcess, FileHandle };
export { removeFile, replaceFile, versionOf, type FileVersion, type Replacement } from './replaceFile';

/** A child whose input is closed and whose two outputs are read apart. */
export type OutputChild = ChildProcessByStdio<null, Readable, Readable>;
/** A child that is talked to: written to, and its two outputs read apart. */
export type TalkingChild = ChildProcessWithoutNullStreams;
/** A child that is only written to. */
export type InputChild = ChildProcessByStdio<Writable, null, null>;

export interface SpawnOptions {
  /** Absolute path. */
  readonly cwd: string;
  /** The whole environment: nothing is added. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts a program in a session and process group of its own, with no input. Throws `CordPulled`, or what
 * the system says at once; a missing program or folder comes as the child's `error` event.
 */
export function spawnProcess(
  launch: Launch,
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): OutputChild {
  return launch(() => {
    const start = startOf(file, args, options, process.platform);
    return spawn(start.file, [...start.args], {
      ...apart(options, start),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  });
}

/** The same for a program that is talked to over its input and output. */
export function spawnTalking(
  launch: Launch,
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): TalkingChild {
  return launch(() => {
    const start = startOf(file, args, options, process.platform);
    return spawn(start.file, [...start.args], { ...apart(options, start), stdio: ['pipe', 'pipe', 'pipe'] });
  });
}

/** In a session and process group of its own. */
const apart = ({ cwd, env }: SpawnOptions, { verbatim }: Start) => ({
  cwd,
  env,
  detached: true,
  windowsHide: true,
  windowsVerbatimArguments: verbatim,
});

/**
 * Starts a program that is only written to, in a session of its own, for as long as this thread lives. It does
 * not keep the thread alive.
 */
export function spawnWatcher(
  launch: Launch,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): InputChild {
  return launch(() => {
    const child = spawn(file, [...args], {
      cwd: '/',
      env,
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
    return child;
  });
}

/**
 * Starts a bundle of ours as a Node process of its own, in a session of its own, with a channel for messages
 * (structured clones). It does not keep the thread alive, and finds the channel closed when the thread ends.
 */
export function forkBundle(
  launch: Launch,
  bundle: string,
  env: Readonly<Record<string, string>>,
): ChildProcess {
  return launch(() => {
    const child = fork(bundle, [], {
      cwd: '/',
      // The editor's binary is Node only when it is told so; what a person wants of every Node is not meant for ours.
      env: { ...env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
      execArgv: [],
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    child.unref();
    child.channel?.unref();
    if (child.stderr instanceof Socket) child.stderr.unref();
    return child;
  });
}

/**
 * Runs one of the system's own tools that tell of processes or end them, and gives its output. Not gated: it
 * starts no work, and what runs must be found and ended while everything is paused. Rejects when the tool is
 * missing, fails, takes longer than `SYSTEM_TOOL_MS`, or prints more than `SYSTEM_TOOL_BYTES`. Times are told alike to
 * every host of the machine, whatever its language and time zone.
 */
export async function systemTool(tool: 'ps' | 'taskkill', args: readonly string[]): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  const options = { timeout: SYSTEM_TOOL_MS, maxBuffer: SYSTEM_TOOL_BYTES, windowsHide: true, env };
  return (await promisify(execFile)(tool, [...args], options)).stdout;
}

/**
 * Removes an empty folder, and nothing else; false when it is not there, not empty, or not ours. Not gated: it
 * tidies up behind what has ended, also while everything is paused.
 */
export async function removeEmptyFolder(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}

/** A list of processes comes in a few hundredths of a second. */
const SYSTEM_TOOL_MS = 10_000;
/** Some ten thousand processes with their environments. */
const SYSTEM_TOOL_BYTES = 64 * 1024 * 1024;

/**
 * Opens a regular file to read it. `path` must be free of links, and what was opened is compared with it, so
 * that a link put in its way meanwhile is not followed. Never waits on a pipe or a device.
 * Throws `CordPulled`, `NotTheFile`, or the system's error.
 */
export async function openFile(launch: Launch, path: string): Promise<FileHandle> {
  const handle = await launch(() => open(path, constants.O_RDONLY | NOT_A_LINK | constants.O_NONBLOCK));
  try {
    if (!(await handle.stat()).isFile()) throw new NotTheFile('It is not a regular file.');
    await compare(handle, path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a folder to list it, under the same conditions; `path` is where its entries can be read. */
export async function openFolder(
  launch: Launch,
  path: string,
): Promise<{ readonly path: string; close(): Promise<void> }> {
  if (process.platform === 'win32') return launch(() => ({ path, close: () => Promise.resolve() }));
  const handle = await launch(() => open(path, constants.O_RDONLY | NOT_A_LINK | constants.O_DIRECTORY));
  try {
    await compare(handle, path);
    return { path: descriptorPath(handle.fd) ?? path, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What was opened is not what was judged. */
export class NotTheFile extends Error {}

/** Windows has no such flag, and asks for rights before it makes a link. */
const NOT_A_LINK = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;

async function compare(handle: FileHandle, path: string): Promise<void> {
  const same = process.platform === 'linux' ? await isNamed(handle, path) : await isAt(handle, path);
  if (!same) throw new NotTheFile('The path has just changed and leads elsewhere. Nothing was read.');
}

async function isNamed(handle: FileHandle, path: string): Promise<boolean> {
  const name = descriptorPath(handle.fd);
  return name === undefined ? isAt(handle, path) : (await readlink(name)) === path;
}

async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [opened, named, real] = await Promise.all([handle.stat(), stat(path), realpath(path)]);
  return opened.ino === named.ino && opened.dev === named.dev && real === path;
}

/** The name under which the system reaches an open descriptor, where there is one. */
function descriptorPath(descriptor: number): string | undefined {
  return process.platform === 'linux' ? `/proc/self/fd/${String(descriptor)}` : undefined;
}
