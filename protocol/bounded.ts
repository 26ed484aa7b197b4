import { z } from 'zod';

/** A text of at most so many bytes in UTF-8. */
export const textOf = (mostBytes: number) =>
  z
    .string()
    .max(mostBytes)
    .refine(
      (text) => isWithin(text, mostBytes),
      `Too big: expected string to have <=${String(mostBytes)} bytes`,
    );

function isWithin(text: string, mostBytes: number): boolean {
  if (text.length * 3 <= mostBytes) return true;
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > mostBytes) return false;
  }
  return true;
}

/** An absolute path of a folder, of any platform. */
export const Folder = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^(?:[\\/]|[A-Za-z]:[\\/])/, 'must be an absolute path');
