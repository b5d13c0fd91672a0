/** Failing samples put together by what made them fail: first the layer, then the checker or tool that showed it. */
import { isDecisive, type Results, type SampleResult, type TrialResult, type Verdict } from '../../scenario/result.ts';
import { layerOf, type LayerName } from './layers.ts';

export type FailureCause = { layer: LayerName | undefined; title: string; samples: SampleResult[] };

/** Largest cause first within a layer; layers in their fixed order, those without a layer last. */
export function causesOf(results: Results): FailureCause[] {
  const causes = new Map<string, FailureCause>();
  for (const sample of results.samples.filter(({ outcome }) => outcome === 'fail')) {
    const layer = layerOf(sample);
    const title = causeOf(sample);
    const key = `${layer?.key} ${title}`;
    const cause = causes.get(key) ?? { layer, title, samples: [] };
    causes.set(key, { ...cause, samples: [...cause.samples, sample] });
  }
  const rank = ({ layer }: FailureCause) => layer?.key ?? '9';
  return [...causes.values()].sort(
    (one, two) => rank(one).localeCompare(rank(two), 'en') || two.samples.length - one.samples.length,
  );
}

/** The trial that decided: the first that failed. */
export function decidingTrial(sample: SampleResult): TrialResult | undefined {
  return sample.trials.find(({ outcome }) => outcome === 'fail') ?? sample.trials.at(0);
}

/** The verdicts that failed the sample, in the order they were given: a grader that is only shown fails nothing. */
export function failedVerdicts(sample: SampleResult): Verdict[] {
  return (decidingTrial(sample)?.verdicts ?? []).filter((verdict) => !verdict.pass && isDecisive(verdict));
}

function causeOf(sample: SampleResult): string {
  const trial = decidingTrial(sample);
  const verdict = failedVerdicts(sample).at(0);
  if (trial?.toolFault !== undefined && sample.layer === 2) return `tool fault: ${trial.toolFault}`;
  if (verdict?.broken === true) return `checker ${verdict.checker} broke`;
  if (verdict?.checker === 'expect') return 'the sample’s own expectation';
  if (verdict !== undefined) return `checker ${verdict.checker}`;
  return trial === undefined ? 'no trial was made' : `the subject stopped: ${trial.stop}`;
}

/** Only a checker or a grader of another rule acquits this one; an expectation speaks for the whole sample. */
export function failsOnRule(
  rule: string,
  sample: SampleResult,
  { verification }: Pick<Results, 'verification'>,
): boolean {
  if (sample.outcome !== 'fail' || !sample.covers.includes(rule)) return false;
  const { checkers = [], graders = [] } = verification.coverage[rule] ?? {};
  const judges = [...checkers, ...graders];
  const failed = failedVerdicts(sample).map(({ checker }) => checker);
  return failed.length === 0 || judges.length === 0 || failed.some((id) => id === 'expect' || judges.includes(id));
}
