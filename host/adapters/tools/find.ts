import { z } from 'zod';
import { SHOWN_BYTES } from '../../../protocol';
import { pathTool } from './pathTool';
import { LOOKING_ARGUMENTS, Ripgrep, type Gathering, type Programs } from './ripgrep';
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
          // Behind the glob of the model, so that none lets git's own folder in.
          args: (target) => [
            '--files',
            '--null',
            ...LOOKING_ARGUMENTS,
            '--glob',
            args.glob,
            '--glob',
            '!**/.git',
            '--',
            target,
          ],
          tells: 'name',
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
  full = false;
  private readonly names: string[] = [];
  private open = '';
  private bytes = 0;
  private leftOut = 0;

  constructor(private readonly isShown: (path: string) => boolean) {}

  add(output: string): 'full' | 'more' {
    const pieces = (this.open + output).split('\0');
    this.open = pieces.pop() ?? '';
    for (const piece of pieces) this.take(piece.replace(/^\.\//, ''));
    return this.full ? 'full' : 'more';
  }

  result(): Record<string, unknown> {
    return {
      text: [...this.names].sort().join('\n'),
      files: this.names.length,
      ...(this.leftOut === 0 ? {} : { left_out: this.leftOut }),
      ...(this.full ? { note: 'There are more. Narrow it by path or glob.' } : {}),
    };
  }

  private take(name: string): void {
    if (this.full) return;
    if (!this.isShown(name)) {
      this.leftOut += 1;
      return;
    }
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
