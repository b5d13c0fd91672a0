/** Sample results by their trials' outcomes: `p`ass, `f`ail, `u`nscored. */
import type { SampleResult, TrialResult } from '../../src/scenario/result.ts';
import { toSampleOutcome } from '../../src/scenario/statistics/score.ts';

const OUTCOMES = { p: 'pass', f: 'fail', u: 'unscored' } as const;

export function sampleOf(id: string, trials: string, more: Partial<SampleResult> = {}): SampleResult {
  const results = trials.split('').map((letter, index): TrialResult => ({
    trial: index + 1,
    outcome: OUTCOMES[letter as keyof typeof OUTCOMES],
    stop: 'done',
    verdicts: [],
    trace: `traces/${id}.${index + 1}.jsonl`,
    costUsd: 0,
    durationMs: 0,
  }));
  const outcome = toSampleOutcome(results.map((trial) => trial.outcome));
  return { id, title: id, category: 'c', covers: ['R1'], outcome, trials: results, why: [], ...more };
}
