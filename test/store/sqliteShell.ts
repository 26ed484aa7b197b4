/**
 * The `sqlite3` shell, as a person would open it on a store: an independent reader of what is on the disk, and another
 * program on the live file.
 */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';

const Rows = z.array(z.record(z.string(), z.unknown()));

/** The first column of each row. */
function column(printed: string): unknown[] {
  if (printed.trim() === '') return [];
  return Rows.parse(JSON.parse(printed)).map((row) => Object.values(row)[0]);
}

/** Opens the file, runs one statement, and closes it. Its first column. */
export function sqlite(path: string, sql: string): unknown[] {
  const ended = spawnSync('sqlite3', ['-json', path, sql], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ended.status !== 0) throw new Error(`sqlite3: ${ended.error?.message ?? ended.stderr}`);
  return column(ended.stdout);
}

/** Printed behind each statement, so that the end of what it printed is known. */
const MARK = '--the end--';

/** A shell that stays open on a file until it is closed. */
export class SqliteShell {
  private readonly child: ChildProcessWithoutNullStreams;
  private printed = '';
  private wake: () => void = () => undefined;

  constructor(path: string) {
    this.child = spawn('sqlite3', ['-json', path]);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.printed += text;
      this.wake();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.printed += `error ${text}`;
      this.wake();
    });
  }

  /** Runs a statement to its end. Its first column. */
  async run(sql: string): Promise<unknown[]> {
    this.child.stdin.write(`${sql};\n.print ${MARK}\n`);
    while (!this.printed.includes(MARK)) await new Promise<void>((resolve) => (this.wake = resolve));
    const printed = this.printed.slice(0, this.printed.indexOf(MARK));
    this.printed = '';
    return column(printed);
  }

  async close(): Promise<void> {
    this.child.stdin.end('.quit\n');
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }
}
