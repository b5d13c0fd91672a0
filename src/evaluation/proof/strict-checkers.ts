/** Checkers that accept gold, and refuse it in another notation: they would fail a right answer for its spelling. */
import { createProblem } from '../../scenario/attribution/problem-code.ts';
import type { Problem } from '../../scenario/result.ts';
import type { OpenSandbox } from '../../ports/sandbox.ts';
import { getComponentPath, type Components } from '../components/components.ts';
import { runCheckers } from '../judge/check-trace.ts';
import { respellRecord } from '../judge/word-fault.ts';
import type { ProvenGold } from './prove-consent-rules.ts';

/** The most samples to try for each checker. */
const MOST_SAMPLES = 4;

export async function strictCheckers(
  { components: { checkers, paths }, golds }: { components: Components; golds: readonly ProvenGold[] },
  session: OpenSandbox,
  signal: AbortSignal,
): Promise<Problem[]> {
  const found = new Map<string, Map<string, string>>();
  const tried = new Map(checkers.flatMap(({ id, exact_words }) => (exact_words === true ? [] : [[id, 0]])));
  for (const { loaded, gold } of golds) {
    const { sample, base } = loaded;
    const selected = sample.checkers.filter((id) => (tried.get(id) ?? MOST_SAMPLES) < MOST_SAMPLES);
    const others = selected.length === 0 ? [] : respellRecord(gold);
    if (others.length > 0) selected.forEach((id) => tried.set(id, (tried.get(id) ?? 0) + 1));
    for (const { kind, played, was, now } of others) {
      const left = selected.filter((id) => found.get(id)?.has(kind) !== true);
      const verdicts = await runCheckers({ sample, played, checkers: left, base: base?.world, session, paths }, signal);
      for (const { checker, pass, reason } of verdicts) {
        if (pass) continue;
        const example = `${kind} (${sample.id}): with ${JSON.stringify(now)} for ${JSON.stringify(was)} it says "${reason}"`;
        found.set(checker, new Map([...(found.get(checker) ?? []), [kind, example]]));
      }
    }
  }
  return [...found].map(([checker, examples]) => {
    const message =
      `${getComponentPath(paths, 'checkers', checker)}: it refuses gold paths for their spelling: ${[...examples.values()].join('; ')}. ` +
      'Read amounts, dates, times and ids by what they mean and in any case; where its rule demands this very notation, write exact_words: true into the checker';
    return createProblem('checker-demands-spelling', checker, message);
  });
}
