/** Numbers and times as a person reads them, in the language of the page. */
import { t } from '../strings';

/** That of the page's document, in the variant that the person's system has of it: dates differ within English. */
function language(): string {
  if (typeof document === 'undefined') return 'en';
  const { lang } = document.documentElement;
  return navigator.language.split('-')[0] === lang.split('-')[0] ? navigator.language : lang;
}

/** A number as the language writes it, with so many digits behind the point; thousands are set apart where asked. */
function written(value: number, digits: number, options: Intl.NumberFormatOptions = {}): string {
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString(language(), { ...places, useGrouping: false, ...options });
}

/** Of a share between 0 and 1. */
export const percent = (share: number): string =>
  share.toLocaleString(language(), { style: 'percent', maximumFractionDigits: 0 });

export const counted = (value: number): string => value.toLocaleString(language());

/** Running time and age: `0:41`, `12:03`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${two(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** How long something took, in English: `12 ms`, `1.2 s`, `41 s`, `2 m 3 s`, `1 h 2 m`. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${written(ms / 1000, 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const left = t('time.minutes', { count: minutes % 60 });
  if (minutes < 60) return seconds % 60 === 0 ? left : `${left} ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${left}`;
}

/** A time of day, with the day when it is not today. */
export function clock(at: number, now: number = Date.now()): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString(language(), { hour: '2-digit', minute: '2-digit', hour12: false });
  return date.toDateString() === new Date(now).toDateString()
    ? time
    : `${date.toLocaleDateString(language())} ${time}`;
}

/** `812`, `18k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${written(count / 1000, 1)}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${written(count / 1_000_000, 1)}M`;
}

export function dollars(amount: number): string {
  const money = (value: number, digits: number): string =>
    written(value, digits, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' });
  return amount === 0 ? money(0, 0) : amount < 0.01 ? `<${money(0.01, 2)}` : money(amount, 2);
}

/** `dir/file.ts` of a longer path: what tells files apart when the line is short. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}

/** A path as seen from the folder that holds it, or as it is. */
export function within(folder: string, path: string): string {
  const prefix = /[\\/]$/.test(folder) ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
