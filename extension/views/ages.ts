import { env, l10n } from 'vscode';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something lasts already, in one unit: `12 s`, `5 m`, `2 h`, `3 d`. */
export function age(since: number, now: number): string {
  const passed = Math.max(0, now - since);
  if (passed < MINUTE) return l10n.t('{0} s', Math.floor(passed / SECOND));
  if (passed < HOUR) return l10n.t('{0} m', Math.floor(passed / MINUTE));
  if (passed < DAY) return l10n.t('{0} h', Math.floor(passed / HOUR));
  return l10n.t('{0} d', Math.floor(passed / DAY));
}

/** The same in whole words, for a screen reader. */
export function spokenAge(since: number, now: number): string {
  const passed = Math.max(0, now - since);
  const whole = (unit: number): number => Math.floor(passed / unit);
  if (passed < MINUTE) return whole(SECOND) === 1 ? l10n.t('1 second') : l10n.t('{0} seconds', whole(SECOND));
  if (passed < HOUR) return whole(MINUTE) === 1 ? l10n.t('1 minute') : l10n.t('{0} minutes', whole(MINUTE));
  if (passed < DAY) return whole(HOUR) === 1 ? l10n.t('1 hour') : l10n.t('{0} hours', whole(HOUR));
  return whole(DAY) === 1 ? l10n.t('1 day') : l10n.t('{0} days', whole(DAY));
}

/** The editor's language, in the variant that the system has of it: dates differ within English. */
function language(): string {
  const system = new Intl.DateTimeFormat().resolvedOptions().locale;
  return system.split('-')[0] === env.language.split('-')[0] ? system : env.language;
}

/** A moment as the editor's language writes it. */
export const dateTime = (at: number): string => new Date(at).toLocaleString(language());
export const day = (at: number): string =>
  new Date(at).toLocaleDateString(language(), {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  });
export const timeOfDay = (at: number): string => new Date(at).toLocaleTimeString(language());

/** Token counts and costs, as the editor's language writes them. */
export const figure = (count: number): string => count.toLocaleString(language());
export const dollars = (amount: number): string =>
  amount.toLocaleString(language(), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
  });

/** How soon an age that began at the youngest of `since` reads differently, ms: what is old changes seldom. */
export function nextTick(since: readonly number[], now: number): number | undefined {
  if (since.length === 0) return undefined;
  const youngest = now - Math.max(...since);
  return youngest < MINUTE ? 5 * SECOND : 30 * SECOND;
}
