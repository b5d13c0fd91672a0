/** Results as lines of JSON, one trial each, for notebooks and data frames. */
import type { Results } from '../scenario/result.ts';

export function exportJsonLines({ samples, designDigest, iteration, simulated }: Results): string[] {
  return samples.flatMap(({ id, title, category, covers, layer, why, trials }) =>
    trials.map(({ trial, outcome, stop, verdicts, toolFault, trace, costUsd, durationMs }) =>
      JSON.stringify({
        sample: id,
        trial,
        outcome,
        title,
        category,
        covers,
        layer: outcome === 'fail' ? (layer ?? null) : null,
        why: outcome === 'pass' ? [] : why,
        stop,
        toolFault: toolFault ?? null,
        verdicts,
        costUsd,
        durationMs,
        trace,
        iteration,
        design: designDigest,
        simulated,
      }),
    ),
  );
}
