/** Files that a person looks back at: how they are now, and how they are put back. */
import type { RevertRefusal } from '../../protocol';
import type { Launch } from '../base/launch';

/** A file as it is now; `hash` is that of its content (sha256, hexadecimal). */
export type FileNow =
  | { readonly kind: 'file'; readonly hash: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable' };

/** What a file holds; one of more than `FILE_BYTES` is unreadable. */
export type FileContent =
  { readonly kind: 'file'; readonly bytes: Uint8Array } | Exclude<FileNow, { kind: 'file' }>;

export interface FilePort {
  /** Only looks; never throws. */
  now(path: string): Promise<FileNow>;
  /** The same with what it holds. */
  content(path: string): Promise<FileContent>;
  /**
   * Writes `before` in the place of a file, or removes it, as long as the file holds exactly what hashes to
   * `expected`, or is not there where that is undefined. The write starts inside `launch`. Never throws.
   */
  putBack(
    launch: Launch,
    file: {
      readonly path: string;
      readonly expected: string | undefined;
      readonly before: Uint8Array | undefined;
    },
  ): Promise<
    { readonly ok: true } | { readonly ok: false; readonly refusal: RevertRefusal; readonly detail?: string }
  >;
}
