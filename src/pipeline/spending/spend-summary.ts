/** What a run's model calls cost and how long they took: in all, by agent and by step. */
import type { RunFolder, SpendRecord } from '../../ports/run-store.ts';
import type { SpentSummary, RunSummary } from '../../report/run/run-summary.ts';
import { stepOfCall } from './paid-model.ts';

/** Calls of before had no time taken; a sum tells of those that had. */
export async function spendOf(run: RunFolder): Promise<RunSummary['spend']> {
  const paid = (await run.spending.list()).filter(({ usd }) => usd !== undefined);
  return {
    ...sumOf(paid),
    byAgent: sumsBy(paid, ({ agent }) => agent),
    byStep: sumsBy(paid, ({ call }) => stepOfCall(call)),
  };
}

function sumsBy(
  records: readonly SpendRecord[],
  nameOf: (record: SpendRecord) => string,
): Record<string, SpentSummary> {
  const groups = Map.groupBy(records, nameOf);
  return Object.fromEntries([...groups].map(([name, group]) => [name, sumOf(group)]));
}

function sumOf(records: readonly SpendRecord[]): SpentSummary {
  const times = records.flatMap(({ ms }) => ms ?? []);
  return {
    usd: records.reduce((sum, { usd = 0 }) => sum + usd, 0),
    calls: records.length,
    ...(times.length === 0 ? {} : { ms: times.reduce((sum, ms) => sum + ms, 0), longestMs: Math.max(...times) }),
  };
}
