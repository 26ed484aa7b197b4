/**
 * What lives beside the database as files by content (D7): results that are too long to be shown whole, and
 * pictures. A row here says that a turn or an unread message still needs a file; without one it is swept.
 */
import type { CallId, Image, SessionId, TurnId } from '../../../protocol';
import { LONGEST_CHARACTER, wholeCharacters } from '../../base/capture';
import type { Blobs } from '../blobs';
import type { Content } from '../stagedFiles';
import { DamagedBlob } from '../errors';
import { int, number, text, type Db } from '../rows';

/** Pictures below this stay in their row, base64 characters: a file for each would cost more than it saves. */
const INLINE_CHARACTERS = 4 * 1024;

/** What of pictures goes into files. */
export const filesOfPictures = (images: readonly Image[]): readonly Content[] =>
  images.flatMap(({ data }) =>
    data.length > INLINE_CHARACTERS ? [{ text: data, encoding: 'base64' as const }] : [],
  );
const REFERENCE = 'blob:';

/** Undefined for a file that is damaged, as for one that is gone. */
function wholeOr(read: () => Uint8Array | undefined): Uint8Array | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedBlob) return undefined;
    throw error;
  }
}

export const keptTable = (db: Db, blobs: Blobs) => {
  const needed = (id: string, session: SessionId, turn: TurnId | undefined): void => {
    // Turn 0 stands for a message that no turn has read yet.
    db.q.run(
      'INSERT OR IGNORE INTO blobs (id, session, turn) VALUES (?, ?, ?)',
      id,
      number(session),
      turn === undefined ? 0 : number(turn),
    );
  };
  return {
    /** Keeps a text whole; the reference is what `read {result}` takes. */
    keep(session: SessionId, turn: TurnId, call: CallId, name: string, whole: string): string {
      const blob = blobs.put({ text: whole, encoding: 'utf8' });
      needed(blob, session, turn);
      db.q.run(
        'INSERT OR REPLACE INTO kept (turn, call, name, session, blob, bytes) VALUES (?, ?, ?, ?, ?, ?)',
        number(turn),
        call,
        name,
        number(session),
        blob,
        Buffer.byteLength(whole),
      );
      return `${turn}/${call}/${name}`;
    },
    /**
     * A page of what a reference of this session stands for, in whole characters; positions are bytes. In a fork, one
     * of the past that it has copied as well. Throws DamagedBlob.
     */
    keptPage(session: SessionId, reference: string, offset: number, limit: number) {
      const parts = /^(t[1-9]\d*)\/(.+)\/([a-z]+)$/.exec(reference);
      const turn = number(parts?.[1] ?? '');
      const row = db.q.get(
        `SELECT blob, bytes FROM kept
         WHERE turn IN (?, (SELECT id FROM turns WHERE session = ? AND origin = ?)) AND call = ? AND name = ? AND session = ?`,
        turn,
        number(session),
        turn,
        parts?.[2] ?? '',
        parts?.[3] ?? '',
        number(session),
      );
      const bytes =
        row === undefined ? undefined : blobs.get(text(row[0]), offset, Math.max(limit, LONGEST_CHARACTER));
      if (row === undefined || bytes === undefined) return undefined;
      const total = int(row[1]);
      return { ...wholeCharacters(Buffer.from(bytes), offset, total), total };
    },
    /** Pictures as they are written into a row: large ones by reference. */
    stowed(images: readonly Image[], session: SessionId, turn: TurnId | undefined): Image[] {
      return images.map((image) => {
        if (image.data.length <= INLINE_CHARACTERS || image.data.startsWith(REFERENCE)) return image;
        const blob = blobs.put({ text: image.data, encoding: 'base64' });
        needed(blob, session, turn);
        return { ...image, data: `${REFERENCE}${blob}` };
      });
    },
    /** Pictures of a row, whole again. One whose file is gone or damaged is left out. */
    unstowed(images: readonly Image[]): Image[] {
      return images.flatMap((image) => {
        if (!image.data.startsWith(REFERENCE)) return [image];
        const bytes = wholeOr(() => blobs.get(image.data.slice(REFERENCE.length)));
        return bytes === undefined ? [] : [{ ...image, data: Buffer.from(bytes).toString('base64') }];
      });
    },
    /** Removes files that no row needs, and what a crash left half written; how many went. */
    sweepFiles(): number {
      const needed = new Set(db.q.all('SELECT DISTINCT id FROM blobs').map((row) => text(row[0])));
      const unneeded = blobs.list().filter((id) => !needed.has(id) && !blobs.isStaged(id));
      blobs.remove(unneeded);
      return unneeded.length;
    },
  };
};
