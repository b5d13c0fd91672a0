/** What a step that has ended still holds: of calls whose process died, and that the step was made without in the end. */
import type { Spending } from '../../ports/run-store.ts';

/** Counts them as uncertain: the provider may have answered, and nobody makes them again. One that is answered after all replaces that. */
export async function writeOffAbandoned(spending: Spending, step: string): Promise<void> {
  const open = (await spending.list()).filter(
    ({ call, reservedUsd }) => reservedUsd > 0 && call.startsWith(`${step}.`),
  );
  for (const { call } of open) await spending.writeOff(call);
}
