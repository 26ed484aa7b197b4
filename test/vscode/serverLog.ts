import type { ChildProcess } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { outFolder } from './paths';

const startMs = 60_000;
/** Kept for error messages and for `said`; the whole is in `out/vscode-server.log`. */
const keptCharacters = 262_144;

/** What a server prints: kept, written to a file, and waited for. */
export class ServerLog {
  #printed = '';
  #ended: string | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    const file = createWriteStream(join(outFolder, 'vscode-server.log'), { flags: 'a' });
    const hear = (chunk: Buffer): void => {
      file.write(chunk);
      this.#printed = (this.#printed + chunk.toString()).slice(-keptCharacters);
      this.#wake();
    };
    const end = (how: string): void => {
      this.#ended ??= how;
      this.#wake();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (error) => end(error.message));
    child.once('exit', (code) => end(`it ended with code ${String(code)}`));
    child.once('close', () => file.end());
  }

  /** Rejects, with what was printed, when the server ends or takes too long. */
  async listening(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, startMs, `nothing listens after ${startMs / 1000} s`);
    });
    const started = this.#until(
      () => this.#has('Extension host agent listening') || this.#ended !== undefined,
    );
    const failure = await Promise.race([started.then(() => this.#ended), late]);
    clearTimeout(timer);
    if (failure) throw new Error(`VS Code did not start: ${failure}\n${this.#printed}`);
  }

  said(text: string): Promise<void> {
    return this.#until(() => this.#has(text));
  }

  #has(text: string): boolean {
    return this.#printed.includes(text);
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}
