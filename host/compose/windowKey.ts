/** The secret by which this user's windows know each other. It is had from the client, and held in memory alone (A12). */
import { WINDOW_KEY } from '../../protocol';
import type { Clock, Timer } from '../base/clock';
import type { Log } from '../base/log';

export interface WindowKey {
  /** Undefined when the client has none: then this window meets no other. */
  now(): Promise<string | undefined>;
  /** It did not fit: the next use asks the client anew. */
  again(): void;
}

/** A client reads it from the system's keyring, which may ask the person first: nothing waits for that, ms. */
const KEY_MS = 3_000;
/** 128 bit as hexadecimal digits. */
const SHORTEST = 32;

export function createWindowKey(
  ask: (name: string) => Promise<string | undefined>,
  clock: Clock,
  log: Log,
): WindowKey {
  let current: Promise<string | undefined> | undefined;

  const get = async (): Promise<string | undefined> => {
    let timer: Timer | undefined;
    const over = new Promise<undefined>((resolve) => {
      timer = clock.after(KEY_MS, () => resolve(undefined));
    });
    const value = await Promise.race([ask(WINDOW_KEY).catch(() => undefined), over]);
    timer?.clear();
    if (value !== undefined && value.length >= SHORTEST) return value;
    current = undefined;
    log('warn', 'The client has no secret for windows: this window meets no other one, and none meets it.');
    return undefined;
  };
  return {
    now: () => (current ??= get()),
    again: () => {
      current = undefined;
    },
  };
}
