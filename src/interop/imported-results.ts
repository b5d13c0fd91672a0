/** Results and traces in our own form, from runs of another harness. */
import type { Results, SampleResult, TrialResult } from '../scenario/result.ts';
import { metricReports } from '../scenario/statistics/metrics.ts';
import { toSampleOutcome, scoreSamples } from '../scenario/statistics/score.ts';
import type { TraceLine, TraceLineOf } from '../scenario/trace.ts';
import { NO_USAGE } from '../transcript/message.ts';
import { sha256 } from '../disk/sha256.ts';

export type ImportedTrial = {
  sample: string;
  title: string;
  category: string;
  result: TrialResult;
  why: string[];
};

const TARGET = 0.85;

/** `tasks` is everything the verdicts depend on: its hash replaces the digest of a design. */
export function importedResults(trials: readonly ImportedTrial[], tasks: string): Results {
  const samples = [...Map.groupBy(trials, ({ sample }) => sample)].map(([id, own]) => sampleResult(id, own));
  const metrics = metricReports(samples);
  return {
    version: 1,
    iteration: 1,
    round: 1,
    designDigest: sha256(tasks),
    componentsDigest: sha256(tasks),
    target: TARGET,
    ...scoreSamples(samples),
    ...(metrics.length > 0 && { metrics }),
    samples: samples.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true })),
    verification: { ok: true, problems: [], proofs: [], coverage: {} },
    sandbox: 'none: imported, nothing was run',
    simulated: false,
    costUsd: trials.reduce((sum, { result }) => sum + result.costUsd, 0),
  };
}

function sampleResult(id: string, trials: readonly ImportedTrial[]): SampleResult {
  const [first] = trials;
  const outcome = toSampleOutcome(trials.map(({ result }) => result.outcome));
  const base = { id, title: first?.title ?? id, category: first?.category ?? '', covers: [], outcome };
  const all = { ...base, trials: trials.map(({ result }) => result) };
  if (outcome !== 'fail') return { ...all, why: outcome === 'pass' ? [] : trials.flatMap(({ why }) => why) };
  const failed = trials.filter(({ result }) => result.outcome === 'fail');
  return { ...all, layer: 4, why: [...new Set(failed.flatMap(({ why }) => why))].slice(0, 12) };
}

/** A trace around the lines of a conversation; recordings of other harnesses contain no world. */
export function importedTrace(
  about: Pick<TraceLineOf<'start'>, 'sample' | 'trial' | 'model' | 'inputs'>,
  lines: readonly TraceLine[],
  { stop, costUsd, durationMs }: Pick<TraceLineOf<'end'>, 'stop' | 'costUsd' | 'durationMs'>,
): TraceLine[] {
  const final = lines.findLast((line) => line.type === 'says')?.text ?? '';
  const calls = lines.filter(({ type }) => type === 'call').length;
  return [
    { type: 'start', version: 1, ...about, world: {} },
    ...lines,
    { type: 'end', stop, world: {}, final, calls, usage: NO_USAGE, costUsd, durationMs },
  ];
}
