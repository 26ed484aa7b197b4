import type { StopReport } from '../../engine/ports';
import { systemTool } from '../../base/effects';
import type { Family, Scope } from './family';

type TaskKill = (args: readonly string[]) => Promise<unknown>;

/**
 * A command's processes on Windows, which has neither groups nor signals: the tree below the shell is ended by
 * force. What has lost its parent is not found. No test runs it there.
 */
export class WindowsFamily implements Family {
  constructor(
    private readonly leader: number,
    private readonly isRunning: () => boolean,
    private readonly taskkill: TaskKill = (args) => systemTool('taskkill', args),
  ) {}

  hasGroup(): boolean {
    return false;
  }

  async end(scope: Scope): Promise<StopReport> {
    if ((scope !== 'tree' && scope !== 'session') || !this.isRunning())
      return { stopped: true, survivors: [] };
    try {
      await this.taskkill(['/T', '/F', '/PID', String(this.leader)]);
      return { stopped: true, survivors: [], signal: 'SIGKILL' };
    } catch {
      return this.isRunning()
        ? { stopped: false, survivors: [this.leader] }
        : { stopped: true, survivors: [] };
    }
  }

  see(): Promise<void> {
    return Promise.resolve();
  }

  nudge(): void {
    // It waits for nothing.
  }
}
