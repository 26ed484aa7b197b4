import type { Migration } from '../contract';
import { first } from './0001';
import { second } from './0002';
import { third } from './0003';
import { fourth } from './0004';
import { fifth } from './0005';
import { sixth } from './0006';
import { seventh } from './0007';
import { eighth } from './0008';
import { ninth } from './0009';
import { tenth } from './0010';
import { eleventh } from './0011';
import { twelfth } from './0012';

/** Every step of the schema, in order. A released one never changes; a new one is added behind it. */
export const migrations: readonly Migration[] = [
  first,
  second,
  third,
  fourth,
  fifth,
  sixth,
  seventh,
  eighth,
  ninth,
  tenth,
  eleventh,
  twelfth,
];
