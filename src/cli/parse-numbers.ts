/** Parses numbers in flags, or throws `usage` with the expected form. */
import { usageError } from '../errors.ts';
import { omitUndefined } from '../omit-undefined.ts';

export function parseWholeNumber(
  flag: string,
  text: string,
  { least = 1, most = Number.MAX_SAFE_INTEGER } = {},
): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw usageError(`${flag} ${JSON.stringify(text)}: expected a whole number ${range}.`);
}

/** Parses an amount of money above 0. */
export function parseUsd(flag: string, text: string): number {
  const usd = Number(text);
  if (Number.isFinite(usd) && usd > 0) return usd;
  throw usageError(`${flag} "${text}": expected US dollars, such as ${flag} 5.`);
}

/** Parses a whole number above 0; undefined when the flag was not given. */
export function parseOptionalCount(flag: string, text: string | undefined, most?: number): number | undefined {
  return text === undefined ? undefined : parseWholeNumber(flag, text, omitUndefined({ most }));
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `45m` into milliseconds; `orZero` where no time at all has a meaning, too. */
export function parseDurationMs(option: string, text: string, { orZero = false } = {}): number {
  const [, number, unit = ''] = /^(\d{1,6}(?:\.\d+)?)(s|m|h|d)$/.exec(text.trim()) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(ms) && (ms > 0 || orZero)) return ms;
  throw usageError(
    `${option} "${text}": expected a number${orZero ? '' : ' above 0'} with s, m, h or d, such as ${option} 45m.`,
  );
}

/** Parses a share from 0 to 1; undefined when the flag was not given. */
export function parseOptionalShare(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw usageError(`${flag} ${JSON.stringify(text)}: expected a share from 0 to 1, such as ${flag} 0.9.`);
}
