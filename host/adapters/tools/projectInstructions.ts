/** The file in which a project tells agents how to work in it: found, read and cut by the same care as by `read`. */
import { PROJECT_INSTRUCTIONS_BYTES, say } from '../../../protocol';
import { openFile } from '../../base/effects';
import type { Launch } from '../../base/launch';
import { redact, type Secrets } from '../../base/redact';
import type { ProjectInstructions, ProjectPlace, ProjectPort } from '../../engine/projectPort';
import { readBytes } from './disk';
import { locate, type Located } from './paths';
import { decode, encodingOf, toLf } from './text';
import { sentence } from './tool';

/** The names that are looked for at the root of a folder. The first that is there is the one, whatever is in it. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Bytes that are read: a file in UTF-16 takes two for what UTF-8 has in one. */
const READ_BYTES = 2 * PROJECT_INSTRUCTIONS_BYTES;

/** Looks while `isOn` says so. What is found holds no secret (X8). */
export const projectFiles = (isOn: () => boolean, secrets: () => Secrets): ProjectPort => ({
  instructions: (place, launch) => (isOn() ? find(place, launch, secrets) : undefined),
});

/** Undefined when the folder has no such file, or an empty one; one that cannot be read says why, as what was found. */
async function find(
  place: ProjectPlace,
  launch: Launch,
  secrets: () => Secrets,
): Promise<ProjectInstructions | undefined> {
  for (const path of NAMES) {
    try {
      const at = await locate(place, path, 'read');
      if (at.kind === 'missing') continue;
      if (!at.inside) return { path, text: '', why: say('it leads out of the workspace.') };
      if (at.kind !== 'file') return { path, text: '', why: say('it is no file.') };
      // Nobody is asked here.
      if (place.gate?.(at.roots).text(at.real) === false)
        return { path, text: '', why: say('a rule or a setting keeps it from being read unasked.') };
      return await contentOf(path, at, launch, secrets);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'host_paused') throw error;
      return { path, text: '', why: say('it could not be read. {reason}', { reason: sentence(error) }) };
    }
  }
  return undefined;
}

async function contentOf(
  path: string,
  at: Located,
  launch: Launch,
  secrets: () => Secrets,
): Promise<ProjectInstructions | undefined> {
  const handle = await openFile(launch, at.real);
  try {
    const { size } = await handle.stat();
    const bytes = await readBytes(handle, 0, Math.min(size, READ_BYTES));
    const isWhole = bytes.length >= size;
    const encoding = encodingOf(bytes, isWhole);
    if (encoding === undefined) return { path, text: '', why: say('it is no text.') };
    const clean = redact(toLf(decode(bytes, encoding)), secrets());
    if (clean.trim() === '') return undefined;
    const shown = cutTo(clean, PROJECT_INSTRUCTIONS_BYTES);
    return shown === clean && isWhole ? { path, text: clean } : { path, text: shown, of: size };
  } finally {
    await handle.close();
  }
}

/** As many whole lines as fit, or a piece of the first one. */
function cutTo(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const piece = Buffer.from(text)
    .subarray(0, most)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
  const end = piece.lastIndexOf('\n');
  return end <= 0 ? piece : piece.slice(0, end + 1);
}
