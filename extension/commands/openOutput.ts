import { known, type Belay } from '../belay';
import { showOutput } from '../documents/outputDocument';
import { handleOf } from '../subjects';
import { pickHandle } from './stopHandle';

/** Open output: of a handle on a row, or of one that the person picks. */
export async function openOutput(belay: Belay, target: unknown): Promise<void> {
  const handle =
    handleOf(await known(belay), target) ??
    (target === undefined ? await pickHandle(belay, false) : undefined);
  if (handle !== undefined) await showOutput(handle.id);
}
