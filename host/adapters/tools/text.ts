/**
 * Text files in their own encoding. A file is decoded so that it can be written back byte for byte: what an
 * edit does not touch never changes, whatever its bytes are.
 */
import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'utf-8-damaged';
export type LineEnds = 'lf' | 'crlf';

export interface TextFile {
  readonly encoding: Encoding;
  /** As it is shown and searched: decoded, without its byte order mark, line ends as they are. */
  readonly text: string;
}

/** Bytes looked at to tell text from binary. */
export const SNIFFED_BYTES = 8 * 1024;

/** The encoding of a file by its bytes, or undefined for a binary one. `whole` is false when more follows. */
export function encodingOf(bytes: Buffer, whole: boolean): Encoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return isUtf8(withoutCutEnd(bytes, whole)) ? 'utf-8-bom' : 'utf-8-damaged';
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  if (isUtf8(withoutCutEnd(bytes, whole))) return 'utf-8';
  return looksLikeDamagedUtf8(bytes) ? 'utf-8-damaged' : 'windows-1252';
}

export function decode(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case 'utf-8':
      return bytes.toString('utf8');
    case 'utf-8-bom':
      return bytes.toString('utf8', 3);
    case 'utf-8-damaged':
      return bytes.toString('utf8').replace(/^\ufeff/, '');
    case 'utf-16le':
      return bytes.toString('utf16le', 2);
    case 'utf-16be':
      return swapped(bytes).toString('utf16le', 2);
    case 'windows-1252':
      return bytes
        .toString('latin1')
        .replace(/[\x80-\x9f]/g, (one) => WINDOWS[one.charCodeAt(0) - 0x80] ?? one);
  }
}

/**
 * The file as text that can be cut and joined, and turned back into exactly its bytes. A damaged UTF-8 file
 * is taken byte by byte, a character for each, so that its bad bytes stay.
 */
export interface Workable {
  readonly text: string;
  /** The model's text in the same form; undefined when the encoding has no way to write it. */
  taken(text: string): string | undefined;
  bytes(text: string): Buffer;
  shown(text: string): string;
}

/** Throws when the bytes could not be given back as they were. */
export function workable(bytes: Buffer, encoding: Encoding): Workable {
  const same = (text: string): string => text;
  const whole = (text: string): string | undefined => (/\p{Surrogate}/u.test(text) ? undefined : text);
  switch (encoding) {
    case 'utf-8':
    case 'utf-8-bom':
    case 'utf-16le':
    case 'utf-16be':
      if (encoding.startsWith('utf-16') && bytes.length % 2 === 1) {
        throw new Error(
          'The file is UTF-16 with half a character at its end; it cannot be written back unharmed.',
        );
      }
      return {
        text: decode(bytes, encoding),
        taken: whole,
        bytes: (text) => encode(text, encoding),
        shown: same,
      };
    case 'windows-1252':
      return {
        text: decode(bytes, encoding),
        taken: (text) => (fitsWindows(text) ? text : undefined),
        bytes: (text) => encode(text, encoding),
        shown: same,
      };
    case 'utf-8-damaged':
      return {
        text: bytes.toString('latin1'),
        taken: (text) =>
          whole(text) === undefined ? undefined : Buffer.from(text, 'utf8').toString('latin1'),
        bytes: (text) => Buffer.from(text, 'latin1'),
        shown: (text) => decode(Buffer.from(text, 'latin1'), 'utf-8-damaged'),
      };
  }
}

/** Turns a whole new text into bytes. Text that does not fit the encoding is the caller's to refuse. */
export function encode(text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
    case 'utf-8-damaged':
      return Buffer.from(text, 'utf8');
    case 'utf-8-bom':
      return Buffer.from(`\ufeff${text}`, 'utf8');
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return swapped(Buffer.from(`\ufeff${text}`, 'utf16le'));
    case 'windows-1252':
      return Buffer.from(
        text.replace(/[^\p{ASCII}\u00a0-\u00ff]/gu, (one) => String.fromCharCode(windowsByte(one) ?? 0x3f)),
        'latin1',
      );
  }
}

export function fits(text: string, encoding: Encoding): boolean {
  return encoding === 'windows-1252' ? fitsWindows(text) : !/\p{Surrogate}/u.test(text);
}

/** The line ends that most lines of a text have; `lf` when there are none. */
export function lineEndsOf(text: string): LineEnds {
  let all = 0;
  let windows = 0;
  // A search for each line would take seconds where all of them are empty.
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) !== 10) continue;
    all += 1;
    if (text.charCodeAt(at - 1) === 13) windows += 1;
  }
  return windows * 2 > all ? 'crlf' : 'lf';
}

export function toLf(text: string): string {
  return text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text;
}

export function withLineEnds(text: string, ends: LineEnds): string {
  return ends === 'crlf' ? toLf(text).replaceAll('\n', '\r\n') : toLf(text);
}

/** Characters of Windows-1252 from 0x80 to 0x9f; the five unused ones stand for themselves, as browsers do. */
const WINDOWS =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

function windowsByte(one: string): number | undefined {
  const at = WINDOWS.indexOf(one);
  if (at !== -1) return 0x80 + at;
  const code = one.charCodeAt(0);
  return code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : undefined;
}

function fitsWindows(text: string): boolean {
  for (const one of text) if (windowsByte(one) === undefined) return false;
  return true;
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

/** A piece of a longer file may end within a character. */
function withoutCutEnd(bytes: Buffer, whole: boolean): Buffer {
  if (whole) return bytes;
  let end = bytes.length;
  for (let back = 0; back < 3 && end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80; back += 1) end -= 1;
  return (bytes[end - 1] ?? 0) >= 0xc0 ? bytes.subarray(0, end - 1) : bytes;
}

/** Not valid, but with more whole UTF-8 characters than bytes that belong to none: no 8-bit text looks so. */
function looksLikeDamagedUtf8(bytes: Buffer): boolean {
  let good = 0;
  let bad = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    if (length > 1 && isUtf8(bytes.subarray(at, at + length))) {
      good += 1;
      at += length - 1;
    } else {
      bad += 1;
    }
  }
  return good > bad;
}
