/** A claim that the design is wrong must stand on evidence: failed samples of this iteration and rules that they cover. */
import type { Layer1Problem } from '../../scenario/handoff.ts';
import type { Results } from '../../scenario/result.ts';

/** Sentences for the agent; empty when the claim may be sent back. */
export function problemFaults(
  problems: readonly Layer1Problem[],
  results: Results | undefined,
  layer1Seen: boolean,
): string[] {
  if (results === undefined) {
    return layer1Seen
      ? []
      : ['Nothing shows a problem of the design yet: call submit_iteration first, and read its traces.'];
  }
  return problems.flatMap((problem) => [
    ...problem.samples.flatMap((id) => sampleFault(id, results)),
    ...problem.rules
      .filter((rule) => results.verification.coverage[rule] === undefined)
      .map((rule) => `Problem "${problem.title}": ${rule} is no rule of this design.`),
  ]);
}

function sampleFault(id: string, results: Results): string[] {
  const sample = results.samples.find((candidate) => candidate.id === id);
  if (sample === undefined) return [`There is no sample "${id}" in this iteration.`];
  return sample.outcome === 'fail' ? [] : [`Sample "${id}" did not fail (${sample.outcome}), so it shows no problem.`];
}
