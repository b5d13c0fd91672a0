/** The estimate: high rather than low, for every script, and corrected by what was billed. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  computeCalibration,
  estimateBlock,
  estimateFloor,
  estimateMessages,
  estimateText,
} from '../../src/transcript/tokens.ts';

test.each([
  ['JSON', JSON.stringify([{ id: 'ord_1042', status: 'delivered', total: 129.9, items: ['shirt', 'socks'] }])],
  ['a log', '2026-11-20T05:32:34.123Z INFO connection refused by upstream host while reading response header'],
  ['prose', 'The customer asks for a refund of an order that was delivered more than thirty days ago.'],
])('counts at least one token for 2.5 characters of %s', (_, text) => {
  expect(estimateText(text)).toBeGreaterThanOrEqual(text.length / 2.5);
});

test.each([
  ['Chinese', '上下文压缩之后首个任务必须逐字保留'],
  ['Japanese', 'コンテキストをあっしゅくする'],
  ['Korean', '컨텍스트를압축한다'],
])('counts about one token for a character of %s (Y7)', (_, text) => {
  expect(estimateText(text.repeat(100))).toBe(text.length * 100);
});

test('10 000 Han characters are 10 000 tokens, not 2 500 (Y7)', () => {
  expect(estimateText('汉'.repeat(10_000))).toBe(10_000);
});

test('counts emoji, other alphabets and empty text', () => {
  expect(estimateText('🙂🙂')).toBe(4);
  expect(estimateText('привет')).toBe(3);
  expect(estimateText('')).toBe(0);
});

test('more text is never fewer tokens, and two texts together never more than one token off', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'Z', '7', ' ', '\n', '{', 'é', '汉', '\uD83D', '\uDE42'),
    maxLength: 60,
  });
  fc.assert(
    fc.property(text, text, (one, two) => {
      expect(estimateText(one + two)).toBeGreaterThanOrEqual(estimateText(one));
      expect(estimateText(one + two)).toBeLessThanOrEqual(estimateText(one) + estimateText(two) + 1);
    }),
  );
});

test('an image has a fixed cost, whatever its base64 is (T24)', () => {
  const image = (data: string) =>
    estimateBlock({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
  expect(image('A'.repeat(1_000_000))).toBe(image('A'));
  expect(image('A')).toBeGreaterThan(1000);
});

test('thinking whose text is left out counts by its signature', () => {
  expect(estimateBlock({ type: 'thinking', thinking: '', signature: 'x'.repeat(4000) })).toBeGreaterThanOrEqual(1000);
});

test('calls, results, system prompt and tools count', () => {
  const content = [
    { type: 'tool_use' as const, id: 't1', name: 'read', input: { file_path: 'a/b/c.ts' } },
    { type: 'redacted_thinking' as const, data: 'x'.repeat(400) },
  ];
  expect(estimateMessages([{ content }])).toBeGreaterThan(100);
  expect(estimateBlock({ type: 'tool_result', tool_use_id: 't1', content: 'x'.repeat(250) })).toBeGreaterThan(100);
  const tool = { name: 'read', description: 'Reads a file.', input_schema: { type: 'object' as const } };
  expect(estimateFloor(['You are a tester.'], [tool, tool])).toBeGreaterThan(
    estimateFloor(['You are a tester.'], [tool]),
  );
});

test('learns the ratio of the model from billed calls, within bounds', () => {
  const bounds = { min: 0.5, max: 2 };
  expect(computeCalibration([], bounds)).toBe(1);
  expect(computeCalibration([{ estimated: 1000, measured: 1300 }], bounds)).toBeCloseTo(1.3);
  expect(computeCalibration([{ estimated: 10, measured: 1000 }], bounds)).toBe(2);
  expect(computeCalibration([{ estimated: 1000, measured: 10 }], bounds)).toBe(0.5);
  expect(computeCalibration([{ estimated: 0, measured: 10 }], bounds)).toBe(1);
});
