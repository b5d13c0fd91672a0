/**
 * Computes whether an agent's prompt cache has expired before its step begins, by the times of the journal alone: they
 * are the same at every try of the step, and no agent reads them.
 */
import type { FitterOptions } from '../../agent/compaction/request-fitter.ts';
import type { LoadedAgent } from '../../agent/definition.ts';
import type { RunFolder } from '../../ports/run-store.ts';
import type { EventBody, RunEvent } from '../../run/event.ts';
import { readEvents } from '../../run-folder/snapshot.ts';

/** Events that set an agent to work. Pauses and reminders come later, and would give another try another result. */
const BEGINNING_EVENTS: ReadonlySet<EventBody['type']> = new Set([
  'run.started',
  'design.done',
  'gate.decided',
  'iteration.done',
  'design.returned',
]);

/** Milliseconds between the agent's last step and the event that asks for the next one; 0 when it has not worked yet. */
export function computeIdleMs(events: readonly RunEvent[], agent: string): number {
  const spoke = findLastStepEnd(events, agent);
  const begun = events.findLast(({ body }) => BEGINNING_EVENTS.has(body.type));
  if (spoke === undefined || begun === undefined) return 0;
  return Math.max(0, Date.parse(begun.ts) - Date.parse(spoke));
}

/** Returns when the agent ended its last step; for a step copied by a fork, the time in the original run. */
export function findLastStepEnd(events: readonly RunEvent[], agent: string): string | undefined {
  const spoke = events.findLast(({ actor }) => actor === `agent:${agent}`);
  const birth = events[0]?.body;
  const fork = birth?.type === 'run.created' ? birth.forkedFrom : undefined;
  return spoke !== undefined && fork !== undefined && spoke.seq <= fork.seq
    ? (fork.spoke?.[agent] ?? spoke.ts)
    : spoke?.ts;
}

/** Returns the cache state for each call of one step: only the first may find the cache cold, because it warms it. */
export async function createCacheClock(
  run: RunFolder,
  { definition, policy }: LoadedAgent,
): Promise<NonNullable<FitterOptions['moment']>> {
  const idle = computeIdleMs(await readEvents(run), definition.name);
  let cold = idle >= policy.economics.ttlSeconds * 1000;
  return () => {
    const moment = { cacheCold: cold };
    cold = false;
    return moment;
  };
}
