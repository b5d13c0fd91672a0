/** Writes off what an ended step still holds: calls whose process died, and without which the step was completed. */
import type { Spending } from '../../ports/run-store.ts';

/** Counts them as uncertain, since the provider may have answered and nobody repeats them. A later answer replaces that. */
export async function writeOffAbandoned(spending: Spending, step: string): Promise<void> {
  const open = (await spending.list()).filter(
    ({ call, reservedUsd }) => reservedUsd > 0 && call.startsWith(`${step}.`),
  );
  for (const { call } of open) await spending.writeOff(call);
}
