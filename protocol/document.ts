import { z } from 'zod';

/**
 * A long document is asked for in pieces: each reply has `next` but the last, and all `text`s behind each other are the
 * document as it was when it was begun. A cursor is good once, and for a minute. Without `pieces` all of it is one
 * reply, refused (`limit_exceeded`) when it has more than 64 Mi characters.
 */
export const InPieces = { pieces: z.boolean().optional(), cursor: z.string().max(64).optional() };
/** A document, or a piece of one. */
export const DocumentPiece = z.object({ text: z.string(), next: z.string().optional() });
