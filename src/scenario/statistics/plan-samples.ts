/** How many samples a target needs before its lower bound can be believed. */
import { reachesTarget } from '../percent.ts';
import { wilson } from './score.ts';

export type SampleRequirement = { failures: number; samples: number; passes: number };

/** No plan looks further: beyond it another way of measuring is cheaper. */
export const MOST_SAMPLES = 5000;

/** The fewest passes of `samples` whose lower bound reaches the target; undefined when not even all of them do. */
export function passesNeeded(target: number, samples: number): number | undefined {
  if (!reaches(target, samples, samples)) return undefined;
  let [low, high] = [0, samples];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (reaches(target, middle, samples)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** For each number of failures that is to be forgiven: the fewest samples with which the target can still be proved. */
export function samplesNeeded(target: number, failures: readonly number[]): SampleRequirement[] {
  return failures.flatMap((forgiven) => {
    for (let samples = forgiven + 1; samples <= MOST_SAMPLES; samples += 1) {
      if (reaches(target, samples - forgiven, samples))
        return [{ failures: forgiven, samples, passes: samples - forgiven }];
    }
    return [];
  });
}

/** The chance that a subject which passes with chance `rate` proves the target on so many samples. */
export function chanceToProve(target: number, rate: number, samples: number): number {
  const passes = passesNeeded(target, samples);
  if (passes === undefined) return 0;
  if (rate >= 1) return 1;
  if (rate <= 0) return 0;
  let chance = 0;
  let logTerm = samples * Math.log(rate);
  // From all passed downward: each term follows from the one before, in logarithms so that none is lost.
  for (let failed = 0; failed <= samples - passes; failed += 1) {
    chance += Math.exp(logTerm);
    logTerm += Math.log(samples - failed) - Math.log(failed + 1) + Math.log1p(-rate) - Math.log(rate);
  }
  return Math.min(1, chance);
}

/**
 * The fewest samples from which on such a subject proves the target with at least this chance; undefined when
 * `MOST_SAMPLES` are not enough. The chance moves in teeth as samples are added, hence "from which on".
 */
export function samplesForChance(target: number, rate: number, chance: number): number | undefined {
  if (rate <= target) return undefined;
  const enough = (samples: number): boolean => chanceToProve(target, rate, samples) >= chance;
  if (!enough(MOST_SAMPLES)) return undefined;
  let samples = MOST_SAMPLES;
  while (samples > 1 && enough(samples - 1)) samples -= 1;
  return samples;
}

function reaches(target: number, passed: number, samples: number): boolean {
  return reachesTarget(wilson(passed, samples)[0], target);
}
