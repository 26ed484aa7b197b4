import { z } from 'zod';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SHOWN_BYTES } from '../../../protocol';
import { openFolder } from '../../base/effects';
import { Unusable } from './disk';
import { pathTool } from './pathTool';
import { locateAgain } from './paths';
import { success, work, type Tool } from './tool';

/** Entries of one answer: more are a mistake of the one who asks, and cost tokens. */
const ENTRIES_MOST = 1_000;

const LEFT_OUT = 'Entries that are not named: reading them is asked for or denied.';

const Args = z.strictObject({ path: z.string().min(1).max(4096).optional() });

export const listTool: Tool = pathTool({
  name: 'list',
  description: 'List a folder. Names of folders end in /, of links in @.',
  args: Args,
  verb: 'List',
  purpose: 'read',
  run: (args, prepared, place, launch) =>
    work(async (stopping) => {
      const at = await locateAgain(prepared, place, args.path ?? '.', 'read');
      if (at.kind === 'missing') throw new Unusable(`${at.shown} does not exist.`);
      if (at.kind !== 'folder') throw new Unusable(`${at.shown} is not a folder.`);
      stopping.check();
      const folder = await openFolder(launch, at.real);
      try {
        const found = await readdir(folder.path, { withFileTypes: true, encoding: 'buffer' });
        const gate = place.gate?.(at.roots, at.real);
        const names = found.flatMap((entry) => {
          const name = nameOf(Buffer.from(entry.name));
          if (gate?.name(join(at.real, name)) === false) return [];
          return name + (entry.isDirectory() ? '/' : entry.isSymbolicLink() ? '@' : '');
        });
        const leftOut = found.length - names.length;
        return success({
          ...page(names),
          ...(leftOut === 0 ? {} : { left_out: leftOut, left_out_why: LEFT_OUT }),
        });
      } finally {
        await folder.close();
      }
    }),
});

function nameOf(bytes: Buffer): string {
  return bytes.toString('utf8');
}

function page(names: string[]): Record<string, unknown> {
  names.sort((one, two) => (one < two ? -1 : one > two ? 1 : 0));
  const entries: string[] = [];
  let size = 0;
  for (const name of names) {
    size += Buffer.byteLength(name) + 3;
    if (entries.length === ENTRIES_MOST || size > SHOWN_BYTES) break;
    entries.push(name);
  }
  const omitted = names.length - entries.length;
  const strange = names.filter((name) => name.includes('\ufffd')).length;
  return {
    entries,
    ...(omitted > 0 ? { omitted, note: `${omitted} more entries are not shown; use search or shell.` } : {}),
    ...(strange > 0 ? { not_utf8: strange } : {}),
  };
}
