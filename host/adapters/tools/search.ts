import { z } from 'zod';
import { relative } from 'node:path';
import type { Unsaved } from '../../base/unsaved';
import { pathTool } from './pathTool';
import { isWithin } from './paths';
import { LOOKING_ARGUMENTS, Ripgrep, type Programs } from './ripgrep';
import { Found } from './searchResults';
import type { Tool } from './tool';

const Args = z.strictObject({
  pattern: z.string().min(1).max(4096),
  path: z.string().min(1).max(4096).optional(),
  glob: z.string().min(1).max(1024).optional(),
});
type Args = z.infer<typeof Args>;

export function searchTool(programs: Programs, ripgrep: string, unsaved: Unsaved): Tool {
  return pathTool({
    name: 'search',
    description: 'Search text in files by regular expression (ripgrep). Files that git ignores are left out.',
    args: Args,
    verb: 'Search',
    purpose: 'read',
    title: (args, at) => `Search "${args.pattern.slice(0, 100)}" in ${at.shown}`,
    run: (args, prepared, place, launch) =>
      new Ripgrep(
        {
          path: args.path ?? '.',
          glob: args.glob,
          args: (target, leaveOut) => argumentsOf(args, target, leaveOut),
          gather: (isShown) => new Found(isShown),
          note: (...where) => unsavedIn(unsaved.paths(), ...where),
        },
        prepared,
        place,
        launch,
        programs,
        ripgrep,
      ),
  });
}

/** Unsaved files that one answer names. */
const UNSAVED_NAMED = 32;

/** What was searched on the disk while the person has something else on the screen: told, since no line may show it. */
function unsavedIn(
  paths: readonly string[],
  target: string,
  folder: string,
  isShown: (path: string) => boolean,
): Record<string, unknown> {
  const names = paths
    .filter((path) => isWithin(target, path) && isShown(path))
    .map((path) => (isWithin(folder, path) ? relative(folder, path) : path));
  if (names.length === 0) return {};
  const more = names.length - UNSAVED_NAMED;
  const named = names.slice(0, UNSAVED_NAMED).join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  return {
    unsaved: `The person has unsaved changes in: ${named}. These were searched as they are on the disk.`,
  };
}

const argumentsOf = (args: Args, target: string, leaveOut: readonly string[]): readonly string[] => [
  '--json',
  ...LOOKING_ARGUMENTS,
  ...(args.glob === undefined ? [] : ['--glob', args.glob]),
  '--glob',
  '!**/.git',
  ...leaveOut,
  '--regexp',
  args.pattern,
  '--',
  target,
];
