/** A replay that goes on: it answers what comes next, not what came first. */
import type { Traffic } from '../../app/models/open-models.ts';
import { answeredCalls } from '../../pipeline/spending/answered-call-counts.ts';
import type { RunFolder } from '../../ports/run-store.ts';

export async function resumeTraffic(traffic: Traffic, runs: readonly RunFolder[]): Promise<Traffic> {
  return traffic.replay === undefined ? traffic : { ...traffic, answered: await answeredCalls(runs) };
}
