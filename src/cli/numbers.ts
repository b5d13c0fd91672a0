/** Numbers in flags: parsed, or refused with what was expected. */
import { HarnessError } from '../errors.ts';

export function wholeNumber(flag: string, text: string, { least = 1, most = Number.MAX_SAFE_INTEGER } = {}): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new HarnessError('usage', `${flag} ${JSON.stringify(text)}: expected a whole number ${range}.`);
}

/** An amount of money above 0. */
export function dollars(flag: string, text: string): number {
  const usd = Number(text);
  if (Number.isFinite(usd) && usd > 0) return usd;
  throw new HarnessError('usage', `${flag} "${text}": expected US dollars, such as ${flag} 5.`);
}

/** A whole number above 0; undefined when the flag was not given. */
export function countOf(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : wholeNumber(flag, text);
}
