import { z } from 'zod';
import { Image, type SessionId, type TurnId } from '../../../protocol';

/** A picture as a row has it: its data, or the reference of the file that holds it. */
export const StoredImage = Image.extend({ data: z.string() });

/** How a table's pictures go into rows and come back. */
export interface Pictures {
  stowed(images: readonly Image[], session: SessionId, turn: TurnId | undefined): Image[];
  unstowed(images: readonly Image[]): Image[];
}
