/** How paths and arguments are looked at for agents, servers and clients: as for Belay's own tools (A1, A12). */
import { refusalOf } from '../adapters/tools/hiddenWords';
import { namedFiles } from '../adapters/tools/namedFiles';
import { classOf, locate, type Purpose } from '../adapters/tools/paths';
import type { CallClass, Workplace } from '../engine/ports';

interface Place {
  readonly real: string;
  readonly roots: readonly string[];
  readonly shown: string;
  readonly class: CallClass;
}

export const looks = {
  /** Rejects when the path is one that no tool may name. */
  locate: async (place: Workplace, path: string, purpose: Purpose): Promise<Place> => {
    const at = await locate(place, path, purpose);
    return { real: at.real, roots: at.roots, shown: at.shown, class: classOf(purpose, at) };
  },
  refusal: refusalOf,
  named: namedFiles,
};
