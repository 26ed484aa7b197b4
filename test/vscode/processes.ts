/**
 * Finds and ends the processes of one run, and no others.
 *
 * A process belongs to a run if its environment carries the run's mark; children inherit it, also those that
 * left their process group or lost their parent. Reads `/proc`, so it knows Linux only.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const variable = 'BELAY_TEST_RUN';

/** A process that carries a run's mark. */
export interface MarkedProcess {
  readonly pid: number;
  readonly command: string;
}

/** The marks of one run: `environment` goes into the first process, `processes` lists all that came from it. */
export class RunMark {
  readonly #value = randomUUID();

  get environment(): Record<string, string> {
    return { [variable]: this.#value };
  }

  processes(): readonly MarkedProcess[] {
    const found: MarkedProcess[] = [];
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || pid === process.pid) continue;
      const environment = read(`/proc/${pid}/environ`);
      if (!environment.split('\0').includes(`${variable}=${this.#value}`)) continue;
      found.push({ pid, command: read(`/proc/${pid}/cmdline`).split('\0').join(' ').trim() });
    }
    return found;
  }

  /** Ends every process of the run, asking first and insisting after `graceMs`. Returns those that had to be killed. */
  async end(graceMs = 5_000): Promise<readonly MarkedProcess[]> {
    for (const one of this.processes()) signal(one.pid, 'SIGTERM');
    if (await this.#gone(graceMs)) return [];
    const stubborn = this.processes();
    for (const one of stubborn) signal(one.pid, 'SIGKILL');
    if (!(await this.#gone(graceMs))) {
      throw new Error(
        `These processes do not end: ${this.processes()
          .map((one) => one.pid)
          .join(', ')}`,
      );
    }
    return stubborn;
  }

  /** Kills those that are meant, and waits until they are gone. */
  async kill(isMeant: (one: MarkedProcess) => boolean, graceMs = 10_000): Promise<void> {
    for (const one of this.processes().filter(isMeant)) signal(one.pid, 'SIGKILL');
    if (!(await this.#gone(graceMs, isMeant))) throw new Error('A process that was killed does not end.');
  }

  /** Nothing tells a process that a stranger has ended, so this one looks again every 50 ms until `withinMs`. */
  async #gone(withinMs: number, isMeant: (one: MarkedProcess) => boolean = () => true): Promise<boolean> {
    const deadline = Date.now() + withinMs;
    while (this.processes().some(isMeant)) {
      if (Date.now() > deadline) return false;
      await delay(50);
    }
    return true;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself in the meantime.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
