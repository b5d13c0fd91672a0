import { expect, test } from 'vitest';
import { withEndTimes } from '../../src/app/models/open-model-access.ts';
import type { ProgressEvent } from '../../src/ports/progress.ts';

test('a pause of more than ten seconds says when it ends; a shorter one, and what is no pause, passes', () => {
  const seen: ProgressEvent[] = [];
  const progress = withEndTimes(
    (event) => seen.push(event),
    () => Date.parse('2026-11-22T22:00:00Z'),
  );
  const wait = { type: 'wait', what: 'a call', reason: 'others' } as const;
  const retry = { type: 'retry', what: 'step', attempt: 1, reason: '529' } as const;
  progress({ ...wait, delayMs: 10_000 });
  progress({ ...wait, delayMs: 60_000 });
  progress({ ...retry, delayMs: 61_000 });
  progress({ type: 'spend', totalUsd: 1, calls: 2 });
  expect(seen).toEqual([
    { ...wait, delayMs: 10_000 },
    { ...wait, delayMs: 60_000, until: '2026-11-22T22:01:00.000Z' },
    { ...retry, delayMs: 61_000, until: '2026-11-22T22:01:01.000Z' },
    { type: 'spend', totalUsd: 1, calls: 2 },
  ]);
});
