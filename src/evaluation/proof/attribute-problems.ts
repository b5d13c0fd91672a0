/** What the proofs of all samples say together: who is to blame stands first, and what only follows from it is left out. */
import type { Problem } from '../../scenario/result.ts';
import type { Suspicion } from './suspect-tools.ts';
import type { SampleProof } from './verify-sample.ts';

export function attributeProblems(proofs: readonly SampleProof[], suspicions: readonly Suspicion[]): Problem[] {
  const explained = new Set(suspicions.flatMap(({ samples }) => samples));
  const judgesPath = new Set(proofs.flatMap(({ remarks }) => remarks.map(({ component }) => component)));
  return [
    ...suspicions.map((suspicion) => suspicion.problem),
    ...proofs.flatMap(({ loaded, problems, contradictions, rejections }) => {
      // A checker that minds what does not matter has no say in whether two rules can be kept together.
      const real = contradictions.filter(({ checkers }) => !checkers.some((id) => judgesPath.has(id)));
      const excused = new Set(real.flatMap(({ checkers }) => checkers));
      return [
        ...problems.filter(({ code }) => code !== 'gold-fails' || !explained.has(loaded.sample.id)),
        ...real.map((found) => found.problem),
        ...rejections.filter(({ component }) => !excused.has(component)),
      ];
    }),
  ];
}
