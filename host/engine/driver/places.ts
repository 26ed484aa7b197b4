/**
 * Places of nested calls: so many toward one server, and so many in all (S5).
 *
 * Owns the counts. 1. A call holds its server's place before it waits for one of all, and gives back both at once.
 * 2. Who has left, in the line or with a place, is given none any more.
 */
import { PLACES, PLACES_A_SERVER } from '../../../protocol';
import { Places, type Place } from '../../base/places';

export interface Entered {
  /** Gives back the place, or leaves the line. Harmless when called again. */
  leave(): void;
}

export interface StepPlaces {
  /** A place at once, if one is free. */
  tryEnter(server: string | undefined): Entered | undefined;
  /** Calls `given` with a place: at once, or when the line has come to it. */
  enter(server: string | undefined, given: () => void): Entered;
}

export function createPlaces(): StepPlaces {
  const all = new Places(PLACES);
  const servers = new Map<string, Places>();
  const of = (server: string): Places => {
    const places = servers.get(server) ?? new Places(PLACES_A_SERVER);
    servers.set(server, places);
    return places;
  };

  return {
    tryEnter: (server) => {
      const own = server === undefined ? undefined : of(server).tryTake();
      if (server !== undefined && own === undefined) return undefined;
      const one = all.tryTake();
      if (one === undefined) own?.free();
      return one === undefined ? undefined : { leave: () => freeAll([one, own]) };
    },
    enter: (server, given) => {
      const held: Place[] = [];
      const lines: { leave(): void }[] = [];
      let left = false;
      const next = (places: Places, then: () => void) => {
        const got = (place: Place) => {
          if (left) place.free();
          else {
            held.push(place);
            then();
          }
        };
        const place = places.tryTake();
        if (place === undefined) lines.push(places.wait(got));
        else got(place);
      };
      if (server === undefined) next(all, given);
      else next(of(server), () => next(all, given));
      return {
        leave: () => {
          left = true;
          for (const line of lines) line.leave();
          freeAll(held);
        },
      };
    },
  };
}

function freeAll(places: readonly (Place | undefined)[]): void {
  for (const place of places) place?.free();
}
