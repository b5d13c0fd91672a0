/** The results of an evaluation from its finished trials, in the order of the samples. */
import { attributeFailure } from '../scenario/attribution/attribute-failure.ts';
import type { Problem, Results, SampleResult, Verification } from '../scenario/result.ts';
import { outcomeOf, scoreSamples } from '../scenario/statistics/score.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { LoadedSample, Trial } from './components/components.ts';
import type { DoneTrial, TrialInput } from './trial/run-trial.ts';

/** The fields of results other than the outcomes. */
export type ResultsInput = Pick<TrialInput, 'brief' | 'design' | 'components' | 'componentsDigest'> & {
  verification: Verification;
  iteration: number;
  round: number;
  sandbox: Sandbox;
  simulated: boolean;
};

/** `done` is in the order of `trials`. */
export function collectResults(trials: readonly Trial[], done: readonly DoneTrial[], input: ResultsInput): Results {
  const { iteration, round, design, componentsDigest, brief, verification, sandbox, simulated } = input;
  const bySample = Map.groupBy(done, (_, index) => trials[index]?.loaded);
  const samples = input.components.samples
    .toSorted((a, b) => (a.sample.id < b.sample.id ? -1 : 1))
    .map((loaded) => sampleResult(loaded, bySample.get(loaded) ?? [], verification));
  return {
    version: 1,
    iteration,
    round,
    designDigest: design.digest,
    componentsDigest,
    target: brief.target,
    ...scoreSamples(samples),
    samples,
    verification,
    sandbox: sandbox.kind,
    sandboxGaps: [...sandbox.gaps],
    simulated,
    costUsd: done.reduce((usd, { result }) => usd + result.costUsd, 0),
  };
}

function sampleResult({ sample }: LoadedSample, done: readonly DoneTrial[], verification: Verification): SampleResult {
  const { id, title, category, covers } = sample;
  const trials = done.map(({ result }) => result);
  const outcome = outcomeOf(trials.map((trial) => trial.outcome));
  const base = { id, title, category, covers, outcome, trials };
  if (outcome === 'pass') return { ...base, why: [] };
  if (outcome === 'unscored') return { ...base, why: done.flatMap(({ detail }) => detail ?? []) };
  const failed = done.filter(({ result }) => result.outcome === 'fail');
  return { ...base, ...attributeFailure({ sample: id, problems: evidenceOf(verification), trials: failed }) };
}

/** All findings of the proof, doubts last. */
export function evidenceOf({ problems, remarks = [] }: Verification): Problem[] {
  return [...problems, ...remarks];
}
