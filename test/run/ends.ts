/** What the files of a process share ends with the last of them, before anything looks for what they have left. */

const ends: (() => Promise<void>)[] = [];

/** Calls this once, after all tests of the process. */
export function atTheEnd(end: () => Promise<void>): void {
  ends.push(end);
}

/** In reverse; the first that fails is thrown when all have been called. */
export async function endAll(): Promise<void> {
  const errors: unknown[] = [];
  for (const end of ends.splice(0).reverse()) await end().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
