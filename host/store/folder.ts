import { mkdirSync } from 'node:fs';
import { fromFileError } from './errors';

/** Makes the store's folder, with its parents. Throws StoreError when it can't be made. */
export function makeStoreFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw fromFileError(error);
  }
}
