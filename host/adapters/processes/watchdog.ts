/**
 * Ends commands when the host is gone, in whatever way (X6).
 *
 * Owns one small process, started with the first command, in a session of its own. It lives as long as the
 * pipe to it is open; the system closes that with the thread or the process that holds it.
 */
import { spawnWatcher, type InputChild } from '../../base/effects';
import type { Launch } from '../../base/launch';
import type { Log } from '../../base/log';
import { WATCHDOG_SCRIPT, WATCHDOG_SCRIPT_WINDOWS } from './watchdogScript';

export class Watchdog {
  private child: InputChild | undefined;
  private ended: Promise<void> = Promise.resolve();
  private readonly groups = new Set<number>();

  /** `mark` is the host's, without characters that a pattern gives a meaning. */
  constructor(
    private readonly mark: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly log: Log,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {}

  /** To be called before a command starts, with its launch: nothing then runs unwatched. */
  start(launch: Launch): void {
    if (this.child !== undefined) return;
    const child = spawnWatcher(launch, ...this.program());
    this.child = child;
    this.ended = new Promise((done) => {
      const end = (text: string): void => {
        done();
        if (this.child !== child) return;
        this.child = undefined;
        this.log(
          'warn',
          `The watchdog of commands has ended (${text}); the next command starts another one.`,
        );
      };
      child.on('exit', (code, signal) => end(signal ?? String(code)));
      child.on('error', (error) => end(error.message));
    });
    child.stdin.on('error', () => {
      // It has gone; its `exit` says so.
    });
    for (const group of this.groups) this.say(`+${group}\n`);
  }

  add(group: number): void {
    this.prune();
    this.groups.add(group);
    this.say(`+${group}\n`);
  }

  remove(group: number): void {
    if (this.groups.delete(group)) this.say(`-${group}\n`);
  }

  /** The groups that it would end. */
  watched(): readonly number[] {
    return [...this.groups];
  }

  /** Lets it go. What still runs is ended by it; resolves when it has done so. */
  async dispose(): Promise<void> {
    this.prune();
    const child = this.child;
    this.child = undefined;
    child?.stdin.end();
    child?.ref();
    await this.ended;
  }

  /** What could not be ended may have gone since: its number is then free for others, and is not to be killed. */
  private prune(): void {
    if (this.platform === 'win32') return;
    for (const group of this.groups) if (!isThere(-group) && !isThere(group)) this.remove(group);
  }

  private say(line: string): void {
    this.child?.stdin.write(line);
  }

  private program(): [string, readonly string[], Readonly<Record<string, string>>] {
    if (this.platform !== 'win32') {
      return ['/bin/sh', ['-c', WATCHDOG_SCRIPT, 'belay-watchdog', this.mark], this.environment];
    }
    const environment = { ...this.environment, ELECTRON_RUN_AS_NODE: '1' };
    return [process.execPath, ['-e', WATCHDOG_SCRIPT_WINDOWS], environment];
  }
}

/** A process, or with a negative number a group, is there; another user's as well. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
