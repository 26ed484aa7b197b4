import { z } from 'zod';
import { Image, say, type SessionId, type TurnId } from '../../../protocol';

/** A picture as a row has it: its data, or the reference of the file that holds it. */
export const StoredImage = Image.extend({ data: z.string() });

/** How a table's pictures go into rows and come back. */
export interface Pictures {
  stowed(images: readonly Image[], session: SessionId, turn: TurnId | undefined): Image[];
  unstowed(images: readonly Image[]): Image[];
}

/** A text with a word of the pictures that belong to it and could not be read any more (R10). */
export const withLost = (said: string, kept: number, read: number): string =>
  read === kept
    ? said
    : `${said}\n\n${say('[{count} of the {all} pictures here are gone or damaged, and left out.]', { count: kept - read, all: kept })}`;
