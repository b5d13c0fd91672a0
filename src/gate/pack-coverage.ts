/** Finds which components test each rule, and how long an iteration takes, from the newest finished iteration. */
import type { ReviewPack } from './rules/review-pack.ts';
import type { RunFolder } from '../ports/run-store.ts';
import type { RunEvent } from '../run/event.ts';
import type { RunState } from '../run/state.ts';
import { omitUndefined } from '../omit-undefined.ts';
import { strengthSentence } from '../report/run/strength-texts.ts';
import { clipText } from '../report/text/sanitise.ts';
import type { Verification } from '../scenario/result.ts';
import { readResults } from '../run-folder/read-results.ts';

const MOST_CHARS = 600;

type PackCoverage = {
  coverage?: ReviewPack['coverage'];
  checks: ReviewPack['checks'];
  reached?: NonNullable<ReviewPack['cases']>['reached'];
};

/** Returns nothing before the first iteration whose components were proved. */
export async function packCoverage(run: RunFolder, state: RunState): Promise<PackCoverage> {
  for (const { iteration } of state.iterations.toReversed()) {
    const results = await readResults(run, iteration);
    if (results === undefined) continue;
    const rules = Object.entries(results.verification.coverage).map(([id, { samples, checkers }]) => ({
      ...{ id, samples, checkers },
      ...(results.verification.judges?.[id]?.by.includes('table') === true && { table: true as const }),
      ...omitUndefined({ strength: results.verification.strength?.rules[id] }),
    }));
    const { strength, cases } = results.verification;
    const reached = cases && { iteration, ...cases };
    return {
      coverage: { iteration, rules },
      checks: [...strengthChecks(iteration, strength), ...consentChecks(iteration, results.verification)],
      ...omitUndefined({ reached }),
    };
  }
  return { checks: [] };
}

/** Checks how many seeded faults the proofs notice; a fault that was caught before and is missed now is shown. */
function strengthChecks(iteration: number, strength: Verification['strength']): ReviewPack['checks'] {
  if (strength === undefined) return [];
  const { regressions = [] } = strength;
  const worse =
    regressions.length === 0 ? '' : `. Weaker than before: ${regressions.map(({ message }) => message).join('; ')}`;
  const detail = `${strengthSentence(strength)}${clipText(worse, MOST_CHARS)}`;
  return [{ name: `strength of the proof, iteration ${iteration}`, ok: regressions.length === 0, detail }];
}

/** Warns about a consent rule that no sample proves; it blocks nothing, and the rule must not pass for proven. */
function consentChecks(iteration: number, { words = [] }: Verification): ReviewPack['checks'] {
  const open = words.filter(({ proven }) => !proven);
  if (open.length === 0) return [];
  const detail = clipText(`not proven: ${open.map(({ rule, why }) => `${rule} (${why})`).join('; ')}`, MOST_CHARS);
  return [{ name: `rules about consent, iteration ${iteration}`, ok: true, skipped: true, detail }];
}

/** Returns the mean duration of the iterations so far; undefined before the first, because a guess would mislead. */
export function minutesPerIteration(events: readonly RunEvent[]): number | undefined {
  let startedAt: string | undefined;
  const took: number[] = [];
  for (const { body, ts } of events) {
    if (startedAt !== undefined && (body.type === 'iteration.done' || body.type === 'design.returned')) {
      took.push(Date.parse(ts) - Date.parse(startedAt));
    }
    // Waiting for people or for money does not count as work.
    const begins = ['gate.decided', 'iteration.done', 'run.resumed', 'run.retried'].includes(body.type);
    startedAt = begins ? ts : undefined;
  }
  return took.length === 0 ? undefined : took.reduce((sum, one) => sum + one, 0) / took.length / 60_000;
}
