import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../src/adapters/anthropic/failure.ts';

const now = Date.parse('2026-11-20T10:00:00Z');

test.each([
  [{ 'retry-after': '3' }, 3_000],
  [{ 'retry-after-ms': '20', 'retry-after': '3' }, 20],
  [{ 'retry-after-ms': 'soon', 'retry-after': '3' }, 3_000],
  [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' }, undefined],
  [{ 'retry-after': '0' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'never' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks for %s ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
});

test('no headers ask for nothing', () => {
  expect(retryAfterMs(undefined, now)).toBeUndefined();
});
