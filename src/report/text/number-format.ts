/** Formats numbers for people: rates, money, tokens, durations, and small bars of characters. */
import { formatPercent } from '../../scenario/percent.ts';

const NONE = '–';

/** Formats a 95 % interval: `62.1–96.2 %`. */
export function intervalText([low, high]: readonly [number, number]): string {
  return `${formatPercent(low).replace(' %', '')}–${formatPercent(high)}`;
}

type Rated = { total: number; successRate: number; interval: readonly [number, number] };

/** Formats a success rate, or a dash when there is nothing to rate. */
export function rateText({ total, successRate }: Pick<Rated, 'total' | 'successRate'>): string {
  return total === 0 ? NONE : formatPercent(successRate);
}

export function rateInterval({ total, interval }: Pick<Rated, 'total' | 'interval'>): string {
  return total === 0 ? NONE : intervalText(interval);
}

/** Returns for example `i2 28.6 %`, with a dash when there is no rate. */
export function iterationRate(one: Pick<Rated, 'total' | 'successRate'> & { iteration: number }): string {
  return `i${one.iteration} ${rateText(one)}`;
}

export function formatUsd(amount: number): string {
  if (!Number.isFinite(amount)) return NONE;
  return amount !== 0 && Math.abs(amount) < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

/** Formats any number with four significant digits. */
export function plainNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** US dollars that were certainly paid, and the most that failed calls may have cost beyond that. */
export type PaidAmount = { usd: number; uncertainUsd?: number | undefined };

/** Returns for example `$1.20`, or `$1.20 + up to $0.05 uncertain`. */
export function paidText({ usd: sure, uncertainUsd = 0 }: PaidAmount): string {
  return uncertainUsd > 0 ? `${formatUsd(sure)} + up to ${formatUsd(uncertainUsd)} uncertain` : formatUsd(sure);
}

/** Formats an amount for a narrow column: `$1.20`, or `$1.20–1.25`. */
export function paidCell({ usd: sure, uncertainUsd = 0 }: PaidAmount): string {
  const [low, high] = [formatUsd(sure), formatUsd(sure + uncertainUsd)];
  return low === high ? low : `${low}–${high.slice(1)}`;
}

/** Appends the meaning of a price range to `text`; unchanged where the sum is certain. */
export function uncertainNote({ uncertainUsd = 0 }: PaidAmount, text: string): string {
  return uncertainUsd > 0
    ? `${text}; ${formatUsd(uncertainUsd)} are uncertain: failed calls, or calls under way`
    : text;
}

export function formatTokens(count: number): string {
  if (!Number.isFinite(count)) return NONE;
  if (count < 1000) return String(Math.round(count));
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function formatDuration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return NONE;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

export const capitalizeFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Returns for example `1 rule` or `3 rules`. */
export function formatCount(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

export const clampShare = (value: number) => Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0));

/** Draws a bar of `width` cells, filled by the given share. */
export function formatBar(share: number, width: number): string {
  const full = Math.round(clampShare(share) * width);
  return '█'.repeat(full) + '░'.repeat(Math.max(0, width - full));
}

const STEPS = '▁▂▃▄▅▆▇█';

/** Draws one character per rate on a fixed scale from 0 to 1, so that different runs compare. */
export function formatSparkline(rates: readonly number[]): string {
  return rates.map((rate) => STEPS[Math.round(clampShare(rate) * (STEPS.length - 1))]).join('');
}

/** Returns the first twelve characters of a digest: enough to tell two designs apart by eye. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
