/** Describes the strength of a proof: its numbers, the weakest rules and tools, and what was not measured. */
import { formatPercent } from '../../scenario/percent.ts';
import { computeScore, type ProofStrength, type Share } from '../../scenario/proof-strength.ts';
import { formatCount } from '../text/number-format.ts';

/** Describes the strength in one sentence for a gate, a terminal or a table. */
export function strengthSentence({ all, mutants, sabotage, fair }: ProofStrength): string {
  return (
    `${shareText(all)}: ${formatRatio(mutants)} changes of the code are noticed, ${formatRatio(sabotage)} faulty paths are refused, ` +
    `${formatRatio(fair)} right paths are accepted`
  );
}

/** Says what the numbers leave out, if anything. */
export function unmeasuredText({ untried, unmeasured }: ProofStrength): string | undefined {
  const parts = [
    ...(untried === 0 ? [] : [`${formatCount(untried, 'change')} could not be tried in the time`]),
    ...(unmeasured.length === 0 ? [] : [`not measured: ${unmeasured.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : `${parts.join('; ')}: the numbers are about the rest`;
}

/** Sorts shares from weakest to strongest. */
export function weakestFirst(shares: Readonly<Record<string, Share>>): [name: string, share: Share][] {
  return Object.entries(shares).toSorted(([, a], [, b]) => computeScore(a) - computeScore(b));
}

export function shareText(share: Share): string {
  return `${formatPercent(computeScore(share))} (${formatRatio(share)})`;
}

function formatRatio({ caught, total }: Share): string {
  return `${caught} of ${total}`;
}
