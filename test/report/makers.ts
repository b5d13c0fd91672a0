/** Small results for tests: a trial, a sample, a failing one, and the results that hold them. */
import type { Results, SampleResult, TrialResult, Verdict } from '../../src/scenario/result.ts';

export function trial(parts: Partial<TrialResult> = {}): TrialResult {
  return {
    trial: 1,
    outcome: 'pass',
    stop: 'done',
    verdicts: [],
    trace: 'traces/sample.1.jsonl',
    costUsd: 0.01,
    durationMs: 1200,
    ...parts,
  };
}

export function sample(id: string, parts: Partial<SampleResult> = {}): SampleResult {
  const outcome = parts.outcome ?? 'pass';
  return {
    id,
    title: `A case called ${id}`,
    category: 'refunds',
    covers: ['R1'],
    outcome,
    trials: [trial({ outcome, trace: `traces/${id}.1.jsonl` })],
    why: [],
    ...parts,
  };
}

export function failing(
  id: string,
  layer: 1 | 2 | 3 | 4,
  verdict: Partial<Verdict>,
  parts: Partial<SampleResult> = {},
  about: Partial<TrialResult> = {},
): SampleResult {
  const verdicts = [{ checker: 'expect', pass: false, reason: 'the end state differs', evidence: [], ...verdict }];
  const trials = [trial({ outcome: 'fail', verdicts, trace: `traces/${id}.1.jsonl`, ...about })];
  return sample(id, { outcome: 'fail', layer, trials, ...parts });
}

export function results(samples: readonly SampleResult[], parts: Partial<Results> = {}): Results {
  const scored = samples.filter(({ outcome }) => outcome !== 'unscored');
  const passed = scored.filter(({ outcome }) => outcome === 'pass').length;
  const layer = (number: number) => samples.filter((one) => one.layer === number).length;
  const tally = (keysOf: (one: SampleResult) => readonly string[]) => {
    const counts: Record<string, { passed: number; total: number }> = {};
    for (const one of scored)
      for (const key of keysOf(one)) {
        const before = counts[key] ?? { passed: 0, total: 0 };
        counts[key] = { passed: before.passed + (one.outcome === 'pass' ? 1 : 0), total: before.total + 1 };
      }
    return counts;
  };
  return {
    version: 1,
    iteration: 1,
    round: 1,
    designDigest: '4be2a9c01f77d3aa51e0',
    componentsDigest: '90ffac12d0e3b7716621',
    target: 0.85,
    successRate: scored.length === 0 ? 0 : passed / scored.length,
    passed,
    total: scored.length,
    unscored: samples.length - scored.length,
    interval: [0.32, 0.84],
    passAll: scored.length === 0 ? 0 : passed / scored.length,
    layers: { '1': layer(1), '2': layer(2), '3': layer(3), '4': layer(4) },
    byCategory: tally((one) => [one.category]),
    byRule: tally((one) => one.covers),
    samples: [...samples],
    verification: { ok: true, problems: [], proofs: [], coverage: {} },
    sandbox: 'bubblewrap',
    simulated: true,
    costUsd: 0.31,
    ...parts,
  };
}

/** Of whose trials none could be judged. */
export const unscored = sample('lost', {
  outcome: 'unscored',
  trials: [trial({ outcome: 'unscored', stop: 'infrastructure' })],
});
/** Of whose two trials one passed. */
export const flaky = failing(
  'wavering',
  4,
  { reason: 'says it only sometimes' },
  {
    trials: [
      trial({ outcome: 'pass' }),
      trial({
        trial: 2,
        outcome: 'fail',
        trace: 'traces/wavering.2.jsonl',
        verdicts: [{ checker: 'polite', pass: false, reason: 'rude', evidence: ['step 2: "no"'] }],
      }),
    ],
  },
);
