/** Bytes and images of a message, to the byte: what the API's limits are held against (T24). */
import { expect, test } from 'vitest';
import { estimateBytes, countImages } from '../../src/transcript/bytes.ts';
import type { Block } from '../../src/transcript/message.ts';

const FRAME = 60;
const of = (...content: Block[]) => estimateBytes({ content });
const text = (said: string): Block => ({ type: 'text', text: said });
const png: Extract<Block, { type: 'image' }> = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'QUJDRA==' },
};

test.each([
  ['', 0],
  ['a', 1],
  ['x'.repeat(64), 64],
  ['é', 2],
  ['中文', 6],
  ['🙂', 4],
  ['aé中🙂', 10],
  ['\u07ff\u0800', 5],
  ['\u007f\u0080', 3],
])('%j is %i bytes in UTF-8, and a thirty-second more for what JSON escapes', (said, bytes) => {
  expect(of(text(said))).toBe(FRAME + bytes + Math.ceil(said.length / 32));
  expect(of(text(said))).toBe(FRAME + Buffer.byteLength(said) + Math.ceil(said.length / 32));
});

test('every kind of block counts what it holds', () => {
  const small = Math.ceil(3 / 32);
  expect(of({ type: 'thinking', thinking: 'abc', signature: 'sign' })).toBe(FRAME + 3 + small + 4);
  expect(of({ type: 'redacted_thinking', data: 'secret' })).toBe(FRAME + 6);
  expect(of({ type: 'tool_use', id: 't', name: 'read', input: { a: 1 } })).toBe(FRAME + 7 + 1 + 4);
  expect(of({ type: 'tool_result', tool_use_id: 't' })).toBe(FRAME);
  expect(of({ type: 'tool_result', tool_use_id: 't', content: 'abc' })).toBe(FRAME + 3 + small);
  expect(of({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'abc' }, png] })).toBe(
    FRAME + FRAME + 3 + small + FRAME + 8,
  );
  expect(of(png)).toBe(FRAME + 8);
  const block: Block = { type: 'compaction', content: 'abc' };
  expect(of(block)).toBe(FRAME + JSON.stringify(block).length + Math.ceil(JSON.stringify(block).length / 32));
  expect(of(png, text('a'), png)).toBe(3 * FRAME + 8 + 2 + 8);
});

test('images inside results count as well', () => {
  const inside: Block = { type: 'tool_result', tool_use_id: 't', content: [png, { type: 'text', text: 'a' }, png] };
  expect(
    countImages({ content: [png, text('a'), inside, { type: 'tool_result', tool_use_id: 'u', content: 'a' }] }),
  ).toBe(3);
  expect(countImages({ content: [] })).toBe(0);
});
