/** An interval for a mean over dependent trials: whole samples are drawn again, never single trials. */
import { wilson } from './score.ts';

export type BootstrapOptions = { seed?: number; rounds?: number };

const SEED = 20_261_120;
const ROUNDS = 2000;

/**
 * 95 % interval of the mean of the samples' own means, by percentiles of the cluster bootstrap. Trials of one sample are
 * alike, so a hundred of them are not a hundred pieces of evidence. Where all samples have the same mean, drawing again
 * shows no spread and would claim certainty: then Wilson's interval over the samples is used.
 */
export function clusterBootstrap(
  clusters: readonly (readonly number[])[],
  { seed = SEED, rounds = ROUNDS }: BootstrapOptions = {},
): [number, number] {
  const means = clusters.filter(({ length }) => length > 0).map(mean);
  const [first] = means;
  if (first === undefined) return [0, 1];
  if (means.every((one) => one === first)) return wilson(first * means.length, means.length);
  const random = seededRandom(seed);
  const drawn = Array.from({ length: rounds }, () => {
    let sum = 0;
    for (let pick = 0; pick < means.length; pick += 1) sum += means[Math.floor(random() * means.length)] ?? 0;
    return sum / means.length;
  }).toSorted((a, b) => a - b);
  return [quantile(drawn, 0.025), quantile(drawn, 0.975)];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

/** Uniform in [0, 1), the same on every machine for one seed, by the generator "sfc32" of Chris Doty-Humphrey's PractRand, which is in the public domain. */
export function seededRandom(seed: number): () => number {
  let [a, b, c, count] = [seed >>> 0, 0x9e3779b9, 0x243f6a88, 1];
  const next = (): number => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  // The first numbers still look like the seed.
  for (let warm = 0; warm < 12; warm += 1) next();
  return next;
}
