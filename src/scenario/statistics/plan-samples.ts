/** Computes how many samples are needed so that the lower bound can reach a target. */
import { reachesTarget } from '../percent.ts';
import { wilsonInterval } from './score.ts';

type SampleRequirement = { failures: number; samples: number; passes: number };

/** The most samples that are planned; beyond that another way of measuring is cheaper. */
const MOST_SAMPLES = 5000;

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

function isTargetProven(target: number, passed: number, samples: number): boolean {
  return reachesTarget(wilsonInterval(passed, samples)[0], target);
}
