/** An interval for a mean over trials that hang together: whole samples are drawn again, never single trials. */
import { seededRandom } from './bootstrap-random.ts';
import { wilson } from './score.ts';

export type BootstrapOptions = { seed?: number; rounds?: number };

const SEED = 20_261_120;
const ROUNDS = 2000;

/**
 * 95 % interval of the mean of the samples' own means, by percentiles of the cluster bootstrap. Trials of one sample are
 * alike, so a hundred of them are not a hundred pieces of evidence. Where all samples have the same mean, drawing again
 * shows no spread and would claim certainty: then Wilson's interval over the samples stands.
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
