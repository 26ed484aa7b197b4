/** What a folder itself tells an agent: the file that agents look for at its root. */
import type { Launch } from '../base/launch';
import type { Workplace } from './ports';

export type ProjectPlace = Pick<Workplace, 'folder' | 'roots' | 'hidden' | 'gate'>;

export interface ProjectInstructions {
  /** Its name: `AGENTS.md` or `CLAUDE.md`. */
  readonly path: string;
  /** What is told, at most 32 KiB; empty when it could not be read. */
  readonly text: string;
  /** Bytes of the whole file, when only its beginning is told. */
  readonly of?: number | undefined;
  /** Why it is not told, as a sentence. */
  readonly why?: string | undefined;
}

export interface ProjectPort {
  /**
   * Looks for the file at the root of the folder. Undefined at once when the person has turned it off, and later when
   * there is none. The file is opened inside `launch`; rejects only when that refuses.
   */
  instructions(place: ProjectPlace, launch: Launch): Promise<ProjectInstructions | undefined> | undefined;
}
