import { z } from 'zod';
import { SHOWN_BYTES } from '../../../protocol';
import { plainPath } from './keptBack';
import { pathTool } from './pathTool';
import { Ripgrep, type Gathering, type Programs } from './ripgrep';
import type { Tool } from './tool';

/** Files that one answer names: more are a glob to be narrowed, and cost tokens. */
const FILES_MOST = 1_000;

const Args = z.strictObject({
  glob: z.string().min(1).max(1024),
  path: z.string().min(1).max(4096).optional(),
});

export function findTool(programs: Programs, ripgrep: string): Tool {
  return pathTool({
    name: 'find',
    description:
      'Find files by name: *.ts at any depth, src/**/*.css from the workspace folder. Leaves out what git ignores.',
    args: Args,
    verb: 'Find',
    purpose: 'read',
    title: (args, at) => `Find "${args.glob.slice(0, 100)}" in ${at.shown}`,
    run: (args, prepared, place, launch) =>
      new Ripgrep(
        {
          path: args.path ?? '.',
          glob: args.glob,
          gather: (isShown) => new Names(isShown),
        },
        prepared,
        place,
        launch,
        programs,
        ripgrep,
      ),
  });
}

/** Paths that ripgrep prints, each with a NUL behind it. */
class Names implements Gathering {
  private readonly names: string[] = [];
  private open = '';
  private bytes = 0;
  private full = false;

  constructor(private readonly isShown: (path: string) => boolean) {}

  add(output: string): 'full' | 'more' {
    const pieces = (this.open + output).split('\0');
    this.open = pieces.pop() ?? '';
    for (const piece of pieces) this.take(plainPath(piece));
    return this.full ? 'full' : 'more';
  }

  result(): Record<string, unknown> {
    return {
      text: [...this.names].sort().join('\n'),
      files: this.names.length,
      ...(this.full ? { note: 'There are more. Narrow it by path or glob.' } : {}),
    };
  }

  private take(name: string): void {
    if (this.full || !this.isShown(name)) return;
    // A line break in a name would make two of it.
    const shown = name.replaceAll('\n', '\\n');
    const size = Buffer.byteLength(shown) + 1;
    if (this.names.length === FILES_MOST || this.bytes + size > SHOWN_BYTES) {
      this.full = true;
      return;
    }
    this.bytes += size;
    this.names.push(shown);
  }
}
