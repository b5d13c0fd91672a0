/** Puts the problems of all samples together: what follows from another problem is left out, and the cause is named. */
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { Suspicion } from './gold-runs.ts';
import type { isSettledByCases } from './verify-gold.ts';
import type { SampleProof } from './verify-sample.ts';

/** The problems of all samples together: causes come first, and their consequences are left out. */
export function attributeProblems(
  proofs: readonly SampleProof[],
  suspicions: readonly Suspicion[],
  isSettled: ReturnType<typeof isSettledByCases>,
): Problem[] {
  const explained = new Set(suspicions.flatMap(({ samples }) => samples));
  const judgesPath = new Set(proofs.flatMap(({ remarks }) => remarks.map(({ component }) => component)));
  return [
    ...suspicions.map((suspicion) => suspicion.problem),
    ...proofs.flatMap((proof) => {
      const { loaded, problems, contradictions, rejections } = proof;
      // A checker that rejects harmless steps does not show that two rules contradict each other.
      const real = contradictions.filter(
        (found) => !found.checkers.some((id) => judgesPath.has(id)) && !isSettled(found),
      );
      const excused = new Set(real.flatMap(({ checkers }) => checkers));
      return [
        ...problems.filter(({ code }) => code !== 'gold-fails' || !explained.has(loaded.sample.id)),
        ...real.map((found) => found.problem),
        ...rejections
          .filter(({ component }) => !excused.has(component) && !explained.has(loaded.sample.id))
          .map((found) => blameSample(found, proof, proofs)),
      ];
    }),
  ];
}

/** The most gold paths that a checker refuses without being at fault itself, and the fewest that it accepts. */
const [MOST_REFUSED, LEAST_ACCEPTED] = [1, 1];

/** A checker that refuses one gold path of many, for a reason that lies in the sample, shows that the sample is wrong. */
function blameSample(found: Problem, proof: SampleProof, proofs: readonly SampleProof[]): Problem {
  const { component, sample = '', message } = found;
  const listing = proofs.filter(({ loaded }) => loaded.sample.checkers.includes(component));
  const refused = listing.filter(({ rejections }) => rejections.some((one) => one.component === component));
  const accepted = listing.length - refused.length;
  const odd = proof.excused.get(component) ?? findOddOrder(proof, listing);
  if (odd === undefined || refused.length > MOST_REFUSED || accepted < LEAST_ACCEPTED) return found;
  const text = `${message}; ${odd}, and it accepts ${accepted} other gold paths: repair what gold says, hears or does`;
  return { ...found, ...createProblem('gold-fails', sample, text) };
}

/** Fewer gold paths show no custom. */
const LEAST_OTHERS = 2;

/** Finds what comes before a step in all other gold paths that have it, and not in this one. */
function findOddOrder(odd: SampleProof, proofs: readonly SampleProof[]): string | undefined {
  const steps = listSteps(odd);
  const others = proofs.filter((one) => one !== odd).map(listSteps);
  for (const [at, step] of steps.entries()) {
    const having = others.filter((other) => other.includes(step));
    const [first = [], ...more] = having.map((other) => other.slice(0, other.indexOf(step)));
    const lacking = first.find((name) => more.every((one) => one.includes(name)) && !steps.slice(0, at).includes(name));
    if (having.length >= LEAST_OTHERS && lacking !== undefined)
      return `every other gold path has ${lacking} before ${step}, and this one has not`;
  }
  return undefined;
}

/** The first words of a user answer nothing. */
function listSteps({ gold: { gold } }: SampleProof): string[] {
  return (gold.events ?? []).flatMap((event, index) => {
    if (event.type === 'call') return [event.tool];
    return event.type === 'user' && index > 0 ? ['an answer'] : [];
  });
}
