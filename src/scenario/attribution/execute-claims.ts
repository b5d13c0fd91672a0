/** Execute's analysis after the evidence: failures that it returns with a reason count as the design's. */
import type { Layer1Problem } from '../handoff.ts';
import { layersOf } from '../statistics/score.ts';
import type { Results, SampleResult } from '../result.ts';

/** The results with every claimed failure in layer 1; the evidence follows the claim. */
export function withClaims(results: Results, problems: readonly Layer1Problem[]): Results {
  const samples = results.samples.map((sample) => claimed(sample, problems));
  return { ...results, samples, layers: layersOf(samples) };
}

function claimed(sample: SampleResult, problems: readonly Layer1Problem[]): SampleResult {
  const problem = problems.find(({ samples }) => samples.includes(sample.id));
  if (problem === undefined || sample.outcome !== 'fail') return sample;
  const claim = `Execute's analysis: ${problem.title} (${problem.rules.join(', ')}); by evidence alone it was layer ${sample.cause ?? sample.layer ?? 'unknown'}`;
  return { ...sample, layer: 1, cause: '1', why: [claim, ...sample.why] };
}
