/** Writes off what an ended step still holds: calls whose process died, and without which the step was completed. */
import type { Spending } from '../../ports/run-store.ts';

/** Counts them as uncertain, since the provider may have answered and nobody repeats them. A later answer replaces that. */
export async function writeOffAbandoned(spending: Spending, step: string): Promise<void> {
  const open = (await spending.list()).filter(
    ({ call, reservedUsd }) => reservedUsd > 0 && call.startsWith(`${step}.`),
  );
  for (const { call } of open) await spending.writeOff(call);
}

/** Sums the answers and costs of the calls of one step or turn, whose ids begin with its name. */
export async function sumSpent(spending: Spending, step: string): Promise<{ calls: number; usd: number }> {
  const mine = (await spending.list()).filter(({ call }) => call.startsWith(`${step}.`));
  return {
    calls: mine.reduce((sum, { answers }) => sum + answers, 0),
    usd: mine.reduce((sum, { usd }) => sum + usd, 0),
  };
}
