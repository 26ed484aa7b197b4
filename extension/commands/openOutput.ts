import type { Belay } from '../belay';
import { showOutput } from '../documents/outputDocument';
import { handleNamed } from '../subjects';
import { pickHandle } from './stopHandle';

/** Open output: of a handle on a row or of a call, or of one that the person picks. */
export async function openOutput(belay: Belay, target: unknown): Promise<void> {
  const id = handleNamed(target) ?? (target === undefined ? (await pickHandle(belay, false))?.id : undefined);
  if (id !== undefined) await showOutput(id);
}
