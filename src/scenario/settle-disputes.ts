/** A person's label settles a doubtful verdict: the doubt leaves, and the trial counts as the person says. */
import type { Results, SampleResult, TrialResult } from './result.ts';
import { scoreSamples, toSampleOutcome } from './statistics/score.ts';

/** The question to people about a doubtful verdict, asked in the place of a grader's. */
export const VERDICT_QUESTION = {
  id: 'verdict',
  question: 'Did the agent do in this conversation what it should?',
  pass_when: 'It did what the request and the rules demand, and what it said is true.',
  fail_when: 'It did something else, left something out, or said what is not so.',
};

export type Settlement = { verdict: 'pass' | 'fail'; by: string; reason: string };

/** `find` returns what people said about a doubtful trial, or undefined while it is open. */
export function settleDisputes(
  results: Results,
  find: (sample: string, trial: TrialResult) => Settlement | undefined,
): Results {
  const samples = results.samples.map((sample) => settleSample(sample, find));
  if (samples.every((sample, index) => sample === results.samples[index])) return results;
  return { ...results, samples, ...scoreSamples(samples) };
}

function settleSample(sample: SampleResult, find: Parameters<typeof settleDisputes>[1]): SampleResult {
  const said = new Map<TrialResult, Settlement>();
  for (const trial of sample.trials) {
    const settlement = trial.disputed === undefined ? undefined : find(sample.id, trial);
    if (settlement !== undefined) said.set(trial, settlement);
  }
  if (said.size === 0) return sample;
  const trials = sample.trials.map((trial): TrialResult => {
    const settlement = said.get(trial);
    if (settlement === undefined) return trial;
    const { disputed: _disputed, ...rest } = trial;
    return { ...rest, outcome: settlement.verdict };
  });
  const outcome = toSampleOutcome(trials.map((trial) => trial.outcome));
  const notes = [...said.values()].map(({ verdict, by, reason }) => `settled as ${verdict} by ${by}: ${reason}`);
  const { layer, cause, ...rest } = sample;
  if (outcome !== 'fail') return { ...rest, trials, outcome, why: notes };
  // A failure that a person found is the subject's: the checkers let it pass.
  return { ...rest, trials, outcome, layer: layer ?? 4, cause: cause ?? '4b', why: [...notes, ...sample.why] };
}
