/** Why the store refused. Closed: a caller may switch on it without a default. */
import { say } from '../../protocol';
export type StoreCode =
  'store_full' | 'store_read_only' | 'store_io' | 'store_newer' | 'store_damaged' | 'store_locked';

/**
 * The store refused or lost something. `message` is a sentence for the person (what happened, what to do);
 * `cause` is the technical reason for the log. Nothing of the refused commit is kept (D2).
 */
export class StoreError extends Error {
  constructor(
    readonly code: StoreCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreError';
  }
}

/**
 * A row that is not of our shape. The file itself is whole: the same read fails the same way again, and nothing is to
 * be set aside. `unfit` says so to who cannot know the class.
 */
export class UnfitRow extends StoreError {
  readonly unfit = true;

  constructor(what: string) {
    super('store_damaged', say('The store holds something that Belay has not written ({what}).', { what }));
    this.name = 'UnfitRow';
  }
}

/** A file beside the database holds other bytes than were kept in it. The database is none the worse. */
export class DamagedBlob extends StoreError {
  readonly unfit = true;

  constructor() {
    super(
      'store_damaged',
      say(
        'A file that Belay kept beside its records is damaged: a picture, a long result or the content of a change. The records are whole.',
      ),
    );
    this.name = 'DamagedBlob';
  }
}

/** A misuse of the store by the program itself, such as a commit inside a commit. Never shown as a fact of the disk. */
export class StoreMisuse extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreMisuse';
  }
}

export const storeFull = (cause?: unknown): StoreError =>
  new StoreError(
    'store_full',
    say(
      'The disk is full, so Belay could not save. Free some space; Belay goes on by itself once there is room.',
    ),
    cause,
  );

export const storeIo = (cause?: unknown): StoreError =>
  new StoreError(
    'store_io',
    say(
      'The disk reported an error, so Belay could not save or read. Check the disk that holds this workspace’s storage; Belay tries again.',
    ),
    cause,
  );

/** Something else uses one of the files for a while. It says nothing of the lease, so work goes on (D4). */
export const storeBusy = (cause?: unknown): StoreError =>
  new StoreError(
    'store_io',
    say(
      'Another program, such as a virus scanner or a backup, keeps a file of Belay’s storage busy, so Belay could not save or read. Belay tries again.',
    ),
    cause,
  );

export const storeUnwritable = (cause?: unknown): StoreError =>
  new StoreError(
    'store_read_only',
    say(
      'Belay may not write to its storage folder, so nothing can be saved. Make the folder writable; Belay tries again.',
    ),
    cause,
  );

export const storeOpenedReadOnly = (): StoreError =>
  new StoreError(
    'store_read_only',
    say(
      'Another window holds this workspace’s storage, so this one only reads. Work in the other window, or close it and this one takes over.',
    ),
  );

export const storeNewer = (found: number, known: number): StoreError =>
  new StoreError(
    'store_newer',
    say(
      'This workspace’s storage was written by a newer version of Belay (format {found}, this version knows {known}). Update Belay; the storage was left as it is.',
      { found, known },
    ),
  );

export const storeDamaged = (cause?: unknown): StoreError =>
  new StoreError(
    'store_damaged',
    say(
      'Belay’s storage file is damaged. Reload the window: the damaged file is then set aside whole, and a fresh one is started.',
    ),
    cause,
  );

export const storeLogReplaced = (cause?: unknown): StoreError =>
  new StoreError(
    'store_damaged',
    say(
      'Another program replaced or removed a part of Belay’s storage while Belay was using it. Close that program; open the file with it read-only while Belay runs.',
    ),
    cause,
  );

/** Another host has the lease, or it could not be had: only what looks after the lease says so. */
export const storeLocked = (cause?: unknown): StoreError =>
  new StoreError(
    'store_locked',
    say(
      'Another program or window has taken over this workspace’s storage. Close it, then reload this window.',
    ),
    cause,
  );

/** The engine's own check failed, so no user data was touched. */
export const storeEngineUnfit = (cause?: unknown): StoreError =>
  new StoreError(
    'store_io',
    say(
      'Belay’s database engine failed its check at start, so no storage was opened. Reinstall the extension.',
    ),
    cause,
  );

/** What a caught value carries in `code`, if it is a text. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The store's error for an error of the file system. A misuse by the program itself is thrown on. */
export function fromFileError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof StoreMisuse) throw error;
  switch (codeOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return storeFull(error);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return storeUnwritable(error);
    case 'EBUSY':
    case 'ETXTBSY':
      return storeBusy(error);
    default:
      return storeIo(error);
  }
}

/**
 * The store's error for an error of SQLite, or undefined when the statement itself was wrong (a constraint,
 * a syntax error): that is a bug of the caller and goes up unchanged. `fileError` is the last error that the
 * file system gave under it: it tells a read-only folder from a broken disk, which SQLite does not.
 */
export function fromSqliteError(error: unknown, fileError: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  const code = codeOf(error) ?? '';
  if (code.startsWith('SQLITE_FULL')) return storeFull(fileError ?? error);
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_CANTOPEN')) {
    return fileError === undefined ? storeIo(error) : fromFileError(fileError);
  }
  if (code.startsWith('SQLITE_READONLY')) return storeUnwritable(fileError ?? error);
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) return storeDamaged(error);
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return storeBusy(error);
  if (code.startsWith('SQLITE_NOMEM')) return storeIo(error);
  return undefined;
}
