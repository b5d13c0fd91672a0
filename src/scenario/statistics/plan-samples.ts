/** Computes how many samples are needed so that the lower bound can reach a target. */
import { reachesTarget } from '../percent.ts';
import { wilsonInterval } from './score.ts';

export type SampleRequirement = { failures: number; samples: number; passes: number };

/** The most samples that are planned; beyond that another way of measuring is cheaper. */
export const MOST_SAMPLES = 5000;

/** Returns the fewest passes of `samples` whose lower bound reaches the target; undefined if even all do not. */
export function passesNeeded(target: number, samples: number): number | undefined {
  if (!isTargetProven(target, samples, samples)) return undefined;
  let [low, high] = [0, samples];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isTargetProven(target, middle, samples)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns for each number of allowed failures the fewest samples that can still prove the target. */
export function samplesNeeded(target: number, failures: readonly number[]): SampleRequirement[] {
  return failures.flatMap((forgiven) => {
    for (let samples = forgiven + 1; samples <= MOST_SAMPLES; samples += 1) {
      if (isTargetProven(target, samples - forgiven, samples))
        return [{ failures: forgiven, samples, passes: samples - forgiven }];
    }
    return [];
  });
}

/** Returns the probability that a subject with pass rate `rate` proves the target on so many samples. */
export function chanceToProve(target: number, rate: number, samples: number): number {
  const passes = passesNeeded(target, samples);
  if (passes === undefined) return 0;
  if (rate >= 1) return 1;
  if (rate <= 0) return 0;
  let chance = 0;
  let logTerm = samples * Math.log(rate);
  // Starts at all passed and goes down: each term follows from the last one, in logarithms to avoid underflow.
  for (let failed = 0; failed <= samples - passes; failed += 1) {
    chance += Math.exp(logTerm);
    logTerm += Math.log(samples - failed) - Math.log(failed + 1) + Math.log1p(-rate) - Math.log(rate);
  }
  return Math.min(1, chance);
}

/**
 * Returns the fewest samples from which on such a subject proves the target with this probability; undefined when
 * `MOST_SAMPLES` are not enough. Single larger numbers may fall below it, because the probability moves in a sawtooth.
 */
export function samplesForChance(target: number, rate: number, chance: number): number | undefined {
  if (rate <= target) return undefined;
  const enough = (samples: number): boolean => chanceToProve(target, rate, samples) >= chance;
  if (!enough(MOST_SAMPLES)) return undefined;
  let samples = MOST_SAMPLES;
  while (samples > 1 && enough(samples - 1)) samples -= 1;
  return samples;
}

function isTargetProven(target: number, passed: number, samples: number): boolean {
  return reachesTarget(wilsonInterval(passed, samples)[0], target);
}
