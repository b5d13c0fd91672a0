/** What is counted and measured: in seconds, in the buckets of the conventions, one series for each set of attributes. */
import { expect, test } from 'vitest';
import { createMeters } from '../../../src/adapters/telemetry/meters.ts';
import { spanMetrics } from '../../../src/adapters/telemetry/open-telemetry.ts';

test('a value falls into the bucket whose bound it does not pass', () => {
  const meters = createMeters();
  for (const value of [1, 2, 4, 5]) meters.add('gen_ai.client.token.usage', value, {});
  meters.add('gen_ai.client.token.usage', 1e9, {});
  meters.add('gen_ai.client.token.usage', Number.NaN, {});
  const [tokens] = meters.read();
  expect(tokens?.bounds?.slice(0, 3)).toEqual([1, 4, 16]);
  const [series] = tokens?.series ?? [];
  expect(series).toMatchObject({ count: 5, sum: 1e9 + 12 });
  expect(series?.buckets.slice(0, 3)).toEqual([1, 2, 1]);
  expect(series?.buckets.at(-1)).toBe(1);
});

test('the duration of a call is told in seconds, and the order of attributes makes no other series', () => {
  const meters = createMeters();
  const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
  spanMetrics(chat, 1500, meters);
  spanMetrics({ 'gen_ai.request.model': 'm', 'gen_ai.operation.name': 'chat' }, 500, meters);
  spanMetrics({ 'gen_ai.operation.name': 'execute_tool' }, 500, meters);
  expect(meters.read().map(({ name, series }) => [name, series.map(({ sum, count }) => [sum, count])])).toEqual([
    ['gen_ai.client.operation.duration', [[2, 2]]],
  ]);
});
