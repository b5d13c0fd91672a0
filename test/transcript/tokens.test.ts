/** The estimate: high rather than low, for every script, and corrected by what was billed. */
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Block } from '../../src/transcript/message.ts';
import { imageOf, pngOf } from '../support/images.ts';
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

test.each([
  ['a screenshot', 1920, 1080, 2768, 2850],
  ['a photo of 12 megapixels', 4000, 3000, 4005, 4790],
  ['a small one', 200, 200, 64, 80],
  ['a long and narrow one', 20, 8000, 92, 100],
])('%s costs at least what is published, and not much more (T24)', (_, width, height, least, most) => {
  const one = estimateBlock(imageOf(pngOf(width, height)));
  expect(one).toBeGreaterThanOrEqual(least);
  expect(one).toBeLessThanOrEqual(most);
  // However many bytes it has, stored or inline.
  expect(estimateBlock(imageOf(Buffer.concat([pngOf(width, height), Buffer.alloc(90_000)])))).toBe(one);
  const stored = { type: 'stored' as const, media_type: 'image/png', sha256: 'a'.repeat(64), bytes: 9 };
  expect(estimateBlock({ type: 'image', source: { ...stored, width, height } })).toBe(one);
  // An image that an earlier version stored may be the largest.
  expect(estimateBlock({ type: 'image', source: stored })).toBeGreaterThanOrEqual(4784);
});

const pdf = (content: string | Buffer): Block => ({
  type: 'unknown',
  wire: {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(content).toString('base64') },
  },
});

test('a PDF costs 3,000 for each page that it names, and by its bytes where the names are compressed', () => {
  const pages = `%PDF-1.7 << /Type /Pages /Count 5 >> ${'<< /Type /Page /Parent 1 0 R >> '.repeat(5)}`;
  expect(estimateBlock(pdf(`${pages}${'x'.repeat(3_000_000)}`))).toBeGreaterThanOrEqual(15_000);
  expect(estimateBlock(pdf(`${pages}${'x'.repeat(3_000_000)}`))).toBeLessThan(15_200);
  const compressed = Buffer.concat([Buffer.from('%PDF-1.7 /Type /ObjStm '), randomBytes(27_000)]);
  expect(estimateBlock(pdf(compressed))).toBeGreaterThanOrEqual(9000);
  const scanned = Buffer.concat([Buffer.from('%PDF-1.7 '), randomBytes(9_000_000)]);
  expect(estimateBlock(pdf(scanned))).toBeLessThan(301_000);
});

test('base64 in a text costs a token a character, in lines too; long words, paths and hashes cost what they did', () => {
  const data = randomBytes(3000).toString('base64');
  expect(estimateText(data)).toBeGreaterThanOrEqual(data.length);
  const lines = data.replaceAll(/.{76}/g, '$&\n');
  expect(estimateText(`Here it is:\n${lines}\nRead it.`)).toBeGreaterThanOrEqual(data.length);
  expect(estimateText(JSON.stringify({ data: randomBytes(300).toString('base64url') }))).toBeGreaterThanOrEqual(400);
  for (const words of [
    'src/AVeryLongFolder/WithManyParts/AndANameOfTheFile/ThatNobodyReads2',
    'a'.repeat(300),
    '-'.repeat(99),
  ])
    expect(estimateText(words)).toBeLessThan(words.length * 0.5 + 60);
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
