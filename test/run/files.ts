/** Which test files a process runs: those of some folders, dealt out to the processes of a suite like cards. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../vscode/paths';

/** One of `of` processes that run a suite together, counted from 1. */
export interface Piece {
  readonly number: number;
  readonly of: number;
}

export const WHOLE: Piece = { number: 1, of: 1 };

interface Folders {
  /** Seen from the repository. */
  readonly in: string;
  /** Those in it that are none of the suite's. */
  readonly except: readonly string[];
}

/** Neighbours, which take about as long as each other, go to different pieces. */
export function filesOfPiece(folders: Folders, { number, of }: Piece): readonly string[] {
  return readdirSync(join(repository, folders.in), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => join(folders.in, file))
    .filter((file) => !folders.except.some((folder) => file.startsWith(`${folder}/`)))
    .sort()
    .filter((_file, n) => n % of === number - 1);
}
