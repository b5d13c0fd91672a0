/** The strength of a proof in words: its numbers, the weakest rules and tools, what survives and what to look at. */
import { formatPercent } from '../../scenario/percent.ts';
import { computeScore, type ProofStrength, type Share } from '../../scenario/proof-strength.ts';
import { count } from '../text/number-format.ts';

/** One sentence: for a gate, a terminal, a table. */
export function strengthSentence({
  all,
  mutants,
  sabotage,
  fair,
}: Pick<ProofStrength, 'all' | 'mutants' | 'sabotage' | 'fair'>): string {
  return (
    `${shareText(all)}: ${ratio(mutants)} changes of the code are noticed, ${ratio(sabotage)} faulty paths are refused, ` +
    `${ratio(fair)} right paths are accepted`
  );
}

/** What the numbers leave out, if anything. */
export function unmeasuredText({ untried, unmeasured }: ProofStrength): string | undefined {
  const parts = [
    ...(untried === 0 ? [] : [`${count(untried, 'change')} could not be tried in the time`]),
    ...(unmeasured.length === 0 ? [] : [`not measured: ${unmeasured.join(', ')}`]),
  ];
  return parts.length === 0 ? undefined : `${parts.join('; ')}: the numbers are about the rest`;
}

/** The weakest first. */
export function weakestFirst(shares: Readonly<Record<string, Share>>): [name: string, share: Share][] {
  return Object.entries(shares).toSorted(([, a], [, b]) => computeScore(a) - computeScore(b));
}

export function shareText(share: Share): string {
  return `${formatPercent(computeScore(share))} (${ratio(share)})`;
}

function ratio({ caught, total }: Share): string {
  return `${caught} of ${total}`;
}
