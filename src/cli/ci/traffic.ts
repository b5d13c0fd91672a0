/** A replay that goes on: it answers what comes next, not what came first. */
import type { Traffic } from '../../app/models/open-models.ts';
import { answeredCalls } from '../../pipeline/spending/answered-calls.ts';
import type { RunFolder } from '../../ports/run-store.ts';

export async function goingOn(traffic: Traffic, runs: readonly RunFolder[]): Promise<Traffic> {
  return traffic.replay === undefined ? traffic : { ...traffic, answered: await answeredCalls(runs) };
}
