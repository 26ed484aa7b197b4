import type { StopReport } from '../../engine/ports';
import { systemTool } from '../../base/effects';
import type { Family, Scope } from './family';

type TaskKill = (args: readonly string[]) => Promise<unknown>;

/**
 * A command's processes on Windows, which has neither groups nor signals: the tree below the shell is ended by
 * force, while the shell is there to show it. What has lost its parent is not found, and so is never said to have
 * ended. No test runs it there.
 */
export class WindowsFamily implements Family {
  private ended: Promise<StopReport> | undefined;

  constructor(
    private readonly leader: number,
    private readonly isRunning: () => boolean,
    private readonly taskkill: TaskKill = (args) => systemTool('taskkill', args),
  ) {}

  hasGroup(): boolean {
    return false;
  }

  /** What has been ended by force stays so; another scope than the whole tree cannot be told apart. */
  async end(scope: Scope): Promise<StopReport> {
    if (this.ended !== undefined) return this.ended;
    if (!this.isRunning() || (scope !== 'tree' && scope !== 'session')) return UNSEEN;
    const ending = this.force();
    this.ended = ending;
    const report = await ending;
    if (!report.stopped) this.ended = undefined;
    return report;
  }

  private async force(): Promise<StopReport> {
    try {
      await this.taskkill(['/T', '/F', '/PID', String(this.leader)]);
      return { stopped: true, survivors: [], signal: 'SIGKILL' };
    } catch {
      return this.isRunning() ? { stopped: false, survivors: [this.leader] } : UNSEEN;
    }
  }

  see(): Promise<void> {
    return Promise.resolve();
  }

  nudge(): void {
    // It waits for nothing.
  }
}

/** Something may be left, and nothing shows what. */
const UNSEEN: StopReport = { stopped: false, survivors: [] };
