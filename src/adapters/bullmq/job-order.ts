/** Computes the number by which both servers sort jobs; the lowest comes first. */
import type { JobPriority } from '../../ports/job-queue.ts';

/** BullMQ takes integers up to 2 ** 21; three priorities share them. */
const RANGE = 690_000;
const SLOT_MS = 10_000;
const FLOORS = { high: 0, normal: RANGE, low: 2 * RANGE };

/**
 * Sorts by the time of adding, so that no job is overtaken for ever: a large batch and a small one that was added later
 * are worked on side by side. The numbers start again after eighty days.
 */
export function computeJobOrder({ priority = 'normal', place = 0 }: JobPriority, nowMs: number): number {
  return FLOORS[priority] + 1 + ((Math.floor(nowMs / SLOT_MS) + place) % (RANGE - 1));
}
