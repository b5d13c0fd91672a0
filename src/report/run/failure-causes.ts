/** Groups failing samples by cause: first by layer, then by the checker or tool that showed the failure. */
import { isDecisive, type Results, type SampleResult, type TrialResult, type Verdict } from '../../scenario/result.ts';
import { findLayer, type LayerName } from './layers.ts';

export type FailureCause = { layer: LayerName | undefined; title: string; samples: SampleResult[] };

/** Orders layers by their fixed order, those without a layer last; within a layer the largest cause comes first. */
export function groupByCause(results: Results): FailureCause[] {
  const causes = new Map<string, FailureCause>();
  for (const sample of results.samples.filter(({ outcome }) => outcome === 'fail')) {
    const layer = findLayer(sample);
    const title = describeCause(sample);
    const key = `${layer?.key} ${title}`;
    const cause = causes.get(key) ?? { layer, title, samples: [] };
    causes.set(key, { ...cause, samples: [...cause.samples, sample] });
  }
  const rank = ({ layer }: FailureCause) => layer?.key ?? '9';
  return [...causes.values()].sort(
    (one, two) => rank(one).localeCompare(rank(two), 'en') || two.samples.length - one.samples.length,
  );
}

/** Returns the deciding trial: the first that failed, else the first. */
export function decidingTrial(sample: SampleResult): TrialResult | undefined {
  return sample.trials.find(({ outcome }) => outcome === 'fail') ?? sample.trials.at(0);
}

/** Lists the verdicts that failed the sample, in order; a grader that is only shown fails nothing. */
export function failedVerdicts(sample: SampleResult): Verdict[] {
  return (decidingTrial(sample)?.verdicts ?? []).filter((verdict) => !verdict.pass && isDecisive(verdict));
}

/**
 * Lists why a sample failed, without the places that prove it: those stand at the verdicts. What a checker says comes before
 * the sample's own expectation, which can only count the places that differ.
 */
export function listReasons({ why, trials }: SampleResult): string[] {
  const verdicts = trials.flatMap((trial) => trial.verdicts);
  const proofs = verdicts.flatMap(({ checker, evidence }) => evidence.map((one) => `${checker}: ${one}`));
  const said = why.filter((line) => !proofs.includes(line));
  const counted = said.filter((line) => line.startsWith('expect: '));
  return [...said.filter((line) => !counted.includes(line)), ...counted];
}

/** Lists why the layer is the cause, without what the failed verdicts above it say already. */
export function listFurtherReasons(sample: SampleResult): string[] {
  const said = failedVerdicts(sample).map(({ checker, reason }) => `${checker}: ${reason}`);
  return listReasons(sample).filter((line) => !said.includes(line));
}

function describeCause(sample: SampleResult): string {
  const trial = decidingTrial(sample);
  const verdict = failedVerdicts(sample).at(0);
  if (trial?.toolFault !== undefined && sample.layer === 2) return `tool fault: ${trial.toolFault}`;
  if (verdict?.broken === true) return `checker ${verdict.checker} broke`;
  if (verdict?.checker === 'expect') return 'the sample’s own expectation';
  if (verdict !== undefined) return `checker ${verdict.checker}`;
  return trial === undefined ? 'no trial was made' : `the subject stopped: ${trial.stop}`;
}

/** Only failures found by other judges clear this rule; an expectation covers the whole sample, and is what the table judges by. */
export function failsOnRule(rule: string, sample: SampleResult, results: Pick<Results, 'verification'>): boolean {
  if (sample.outcome !== 'fail' || !sample.covers.includes(rule)) return false;
  const { coverage, judges: judged = {} } = results.verification;
  const { checkers = [], graders = [] } = coverage[rule] ?? {};
  const judges = [...checkers, ...graders];
  const failed = failedVerdicts(sample).map(({ checker }) => checker);
  const isJudged = judges.length > 0 || judged[rule]?.by.includes('table') === true;
  return failed.length === 0 || !isJudged || failed.some((id) => id === 'expect' || judges.includes(id));
}
