/** Numbers as people read them: rates, money, tokens, durations, and the small pictures made of characters. */
import { formatPercent } from '../../scenario/percent.ts';

const NONE = '–';

/** A 95 % interval: `62.1–96.2 %`. */
export function intervalText([low, high]: readonly [number, number]): string {
  return `${formatPercent(low).replace(' %', '')}–${formatPercent(high)}`;
}

type Rated = { total: number; successRate: number; interval: readonly [number, number] };

/** A success rate; of nothing there is none. */
export function rateText({ total, successRate }: Pick<Rated, 'total' | 'successRate'>): string {
  return total === 0 ? NONE : formatPercent(successRate);
}

export function rateInterval({ total, interval }: Pick<Rated, 'total' | 'interval'>): string {
  return total === 0 ? NONE : intervalText(interval);
}

/** `i2 28.5 %`, or why there is no rate. */
export function iterationRate(one: Pick<Rated, 'total' | 'successRate'> & { iteration: number }): string {
  return `i${one.iteration} ${rateText(one)}`;
}

export function usd(amount: number): string {
  if (!Number.isFinite(amount)) return NONE;
  return amount !== 0 && Math.abs(amount) < 0.01 ? `$${amount.toFixed(4)}` : `$${amount.toFixed(2)}`;
}

/** Any number as people read it: four digits that matter. */
export function plainNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** What came from batches of the API, and what the same calls cost live. */
export function bothPrices({ usd: paid, calls }: { usd: number; calls: number }): string {
  return `${count(calls, 'call')} came from batches for ${usd(paid)}; live the same would cost ${usd(paid * 2)}.`;
}

/** US dollars that are surely paid, and what failed calls may have cost beyond that, at most. */
export type Paid = { usd: number; uncertainUsd?: number | undefined };

/** `$1.20`, or `$1.20 + up to $0.05 uncertain`. */
export function paidText({ usd: sure, uncertainUsd = 0 }: Paid): string {
  return uncertainUsd > 0 ? `${usd(sure)} + up to ${usd(uncertainUsd)} uncertain` : usd(sure);
}

/** The same for a narrow column: `$1.20`, or `$1.20–1.25`. */
export function paidCell({ usd: sure, uncertainUsd = 0 }: Paid): string {
  return uncertainUsd > 0 ? `${usd(sure)}–${usd(sure + uncertainUsd).slice(1)}` : usd(sure);
}

/** Says what a range of money means; nothing where the sum is sure. */
export function uncertainNote({ uncertainUsd = 0 }: Paid, text: string): string {
  return uncertainUsd > 0 ? `${text}; ${usd(uncertainUsd)} are uncertain: failed calls, or calls under way` : text;
}

export function tokens(count: number): string {
  if (!Number.isFinite(count)) return NONE;
  if (count < 1000) return String(Math.round(count));
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return NONE;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`;
}

/** `1 rule`, `3 rules`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

const within = (value: number) => Math.min(1, Math.max(0, Number.isFinite(value) ? value : 0));

/** A bar of `width` cells, full in the given share. */
export function bar(share: number, width: number): string {
  const full = Math.round(within(share) * width);
  return '█'.repeat(full) + '░'.repeat(Math.max(0, width - full));
}

const STEPS = '▁▂▃▄▅▆▇█';

/** One character a rate, on the fixed scale from 0 to 1, so that pictures of different runs compare. */
export function sparkline(rates: readonly number[]): string {
  return rates.map((rate) => STEPS[Math.round(within(rate) * (STEPS.length - 1))]).join('');
}

/** The first twelve characters of a digest: enough to distinguish two designs by eye. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}
