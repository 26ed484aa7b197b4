import { randomUUID } from 'node:crypto';

/** A number from 0 (included) to 1 (excluded), for the jitter of retries. The only door to chance in the host. */
export const chance = (): number => Math.random();

/** A UUID that nothing else has. */
export const newUuid = (): string => randomUUID();

/** An id that no other start of a host has: letters, digits and hyphens. */
export const newHostId = (): string => randomUUID();
