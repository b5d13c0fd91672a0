/** Checkers that cannot fail, on anything that the proof plays. */
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { getComponentPath, type Components } from '../components/components.ts';
import { createAsker } from './prove-consent-rules.ts';
import type { SampleProof } from './verify-sample.ts';

type ProvedComponents = { components: Components; proofs: readonly SampleProof[]; blamed: ReadonlySet<string> };

/** Checkers that refuse nothing at all, and are not blamed for more: not the null agent, not a wrong path, not one mutant. */
export async function findInertCheckers(
  { components, proofs, blamed }: ProvedComponents,
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const ask = createAsker(components, session, signal);
  for (const checker of components.checkers) {
    const { id } = checker;
    const listing = proofs.filter(({ loaded }) => loaded.sample.checkers.includes(id));
    if (listing.length === 0 || blamed.has(id) || listing.some(({ refused }) => refused.has(id))) continue;
    const plays = listing.flatMap(({ loaded, mutants }) => mutants.map((gold) => ({ loaded, gold })));
    let isRefused = false;
    for (const one of plays) isRefused ||= await ask(checker, one, one.gold);
    if (isRefused) continue;
    const message = `${getComponentPath(components.paths, 'checkers', id)}: it cannot fail: it accepts an agent that does nothing, every wrong path and every changed gold world of ${listing.length} samples`;
    problems.push(createProblem('checker-cannot-fail', id, message));
  }
  return problems;
}
