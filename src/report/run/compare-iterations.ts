/** What changed between two iterations, sample by sample. */
import type { Results, SampleResult } from '../../scenario/result.ts';

/** `new` fails now and did not before; `still` failed before too; `flaky` passes in one trial and fails in another. */
export type SampleChange = 'new' | 'still' | 'fixed' | 'flaky';

export type IterationComparison = Readonly<Record<SampleChange, SampleResult[]>> & {
  /** Samples that the iteration before had and this one has not. */
  gone: string[];
  /** Set when the design changed in between: the two rates measure different things. */
  otherDesign: boolean;
};

export function compareIterations(results: Results, previous?: Results): IterationComparison {
  const before = new Map((previous?.samples ?? []).map((sample) => [sample.id, sample.outcome]));
  const now = new Set(results.samples.map(({ id }) => id));
  const of = (change: SampleChange) =>
    results.samples.filter((sample) => sampleChange(sample, before.get(sample.id)) === change);
  return {
    new: of('new'),
    still: of('still'),
    fixed: of('fixed'),
    flaky: results.samples.filter(isFlaky),
    gone: [...before.keys()].filter((id) => !now.has(id)),
    otherDesign: previous !== undefined && previous.designDigest !== results.designDigest,
  };
}

/** A sample compared with its last outcome; undefined when it passes and did not fail before, or is unscored. */
export function sampleChange(
  sample: SampleResult,
  before: SampleResult['outcome'] | undefined,
): Exclude<SampleChange, 'flaky'> | undefined {
  if (sample.outcome === 'fail') return before === 'fail' ? 'still' : 'new';
  return sample.outcome === 'pass' && before === 'fail' ? 'fixed' : undefined;
}

export function isFlaky(sample: SampleResult): boolean {
  const outcomes = new Set(sample.trials.map(({ outcome }) => outcome));
  return outcomes.has('pass') && outcomes.has('fail');
}
