/** Who is taken first: the number that BullMQ sorts by. */
import { expect, test } from 'vitest';
import { computeJobOrder } from '../../../src/adapters/bullmq/job-order.ts';
import { PRIORITIES, type JobPriority } from '../../../src/ports/job-queue.ts';

const NOW = Date.parse('2026-11-23T08:00:00Z');
const S = 1000;

function inOrder(jobs: readonly (JobPriority & { name: string; atMs: number })[]): string[] {
  const numbered = jobs.map(({ name, atMs, ...turn }) => ({ name, order: computeJobOrder(turn, NOW + atMs) }));
  return numbered.toSorted((one, other) => one.order - other.order).map(({ name }) => name);
}

test('a small batch that comes later goes between the runs of a large one, and nobody who waits is overtaken for ever', () => {
  const large = [0, 1, 2, 3, 4, 5].map((place) => ({ name: `large-${place}`, place, atMs: 0 }));
  const small = [0, 1].map((place) => ({ name: `small-${place}`, place, atMs: 25 * S }));
  expect(inOrder([...large, ...small])).toEqual([
    ...['large-0', 'large-1', 'large-2', 'small-0', 'large-3', 'small-1', 'large-4', 'large-5'],
  ]);
  const late = { name: 'late', place: 0, atMs: 60 * S };
  expect(inOrder([...large, late]).at(-1)).toBe('late');
});

test('a priority goes before every place, and every number is one that BullMQ takes', () => {
  const each = PRIORITIES.map((priority) => ({ name: priority, priority, atMs: 0 }));
  const last = { name: 'high, last of many', priority: PRIORITIES[0], place: 4_999, atMs: 0 };
  expect(inOrder([...each.toReversed(), last])).toEqual(['high', 'high, last of many', 'normal', 'low']);
  for (let day = 0; day < 200; day += 1) {
    const order = computeJobOrder({ priority: 'low', place: 5000 }, NOW + day * 86_400_000);
    expect(order).toBeGreaterThan(0);
    expect(order).toBeLessThanOrEqual(2 ** 21);
  }
});
