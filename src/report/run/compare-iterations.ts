/** Compares two iterations sample by sample. */
import type { Results, SampleResult } from '../../scenario/result.ts';
import { findLayer } from './layers.ts';

/** `new` fails now and did not before; `added` fails and is a new sample; `still` failed before too. */
export type SampleChange = 'new' | 'added' | 'still' | 'fixed';

export type IterationComparison = Readonly<Record<SampleChange, SampleResult[]>> & {
  /** Samples of the earlier iteration that this one does not have. */
  gone: string[];
  /** True when the design changed in between, so that the two rates measure different things. */
  otherDesign: boolean;
};

export function compareIterations(results: Results, previous?: Results): IterationComparison {
  const before = new Map((previous?.samples ?? []).map((sample) => [sample.id, sample]));
  const now = new Set(results.samples.map(({ id }) => id));
  const of = (change: SampleChange) =>
    results.samples.filter((sample) => sampleChange(sample, before.get(sample.id)) === change);
  return {
    new: of('new'),
    added: of('added'),
    still: of('still'),
    fixed: of('fixed'),
    gone: [...before.keys()].filter((id) => !now.has(id)),
    otherDesign: previous !== undefined && previous.designDigest !== results.designDigest,
  };
}

type Judged = Pick<SampleResult, 'outcome' | 'cause' | 'layer'>;

/** Compares a sample with its earlier result; undefined if it is unscored, or passes and did not fail before. */
export function sampleChange(sample: Judged, before: Judged | undefined): SampleChange | undefined {
  if (sample.outcome === 'fail') return before === undefined ? 'added' : before.outcome === 'fail' ? 'still' : 'new';
  return sample.outcome === 'pass' && before?.outcome === 'fail' ? 'fixed' : undefined;
}

/** Returns for example `still failing, now by the subject instead of the tools`: another cause is another failure. */
export function changeText(sample: Judged, before: Judged | undefined): string | undefined {
  const change = sampleChange(sample, before);
  if (change === undefined || change === 'fixed') return change;
  if (change !== 'still') return change === 'added' ? 'new sample' : 'newly failing';
  const [was, is] = [before, sample].map((one) => (one === undefined ? undefined : findLayer(one)?.name));
  if (was === is || was === undefined || is === undefined) return 'still failing';
  return `still failing, now by the ${is} instead of the ${was}`;
}

export function isFlaky(sample: SampleResult): boolean {
  const outcomes = new Set(sample.trials.map(({ outcome }) => outcome));
  return outcomes.has('pass') && outcomes.has('fail');
}
