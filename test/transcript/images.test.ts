import { expect, test } from 'vitest';
import { findBlockFault } from '../../src/transcript/block-fault.ts';
import {
  listImageBlocks,
  countImageBytes,
  mapImages,
  countSentBytes,
  listStoredImages,
} from '../../src/transcript/images.ts';
import type { Entry } from '../../src/transcript/entry.ts';
import { Block } from '../../src/transcript/message.ts';
import type { ImageBlock, Message } from '../../src/transcript/message.ts';
import { imageOf, paddedPng } from '../support/images.ts';

const inline = (bytes: number): ImageBlock => imageOf(Buffer.alloc(bytes, 1));
const stored = (bytes: number): ImageBlock => ({
  type: 'image',
  source: { type: 'stored', media_type: 'image/png', sha256: 'b'.repeat(64), bytes },
});

test.each([1, 2, 3, 4, 100, 90_000])('%i bytes weigh the same inline and stored (T24)', (bytes) => {
  expect([countImageBytes(inline(bytes)), countImageBytes(stored(bytes))]).toEqual([bytes, bytes]);
  expect(countSentBytes(stored(bytes))).toBe(countSentBytes(inline(bytes)));
});

test('an image without bytes, or of a kind that the API does not take, cannot be sent', () => {
  expect(findBlockFault(stored(0))).toBe('image_source');
  expect(findBlockFault(inline(0))).toBe('image_source');
  expect(findBlockFault(stored(5))).toBeUndefined();
  expect(findBlockFault(inline(5))).toBe('image_source');
  expect(findBlockFault(imageOf(paddedPng()))).toBeUndefined();
  const svg: ImageBlock = { type: 'image', source: { ...stored(5).source, media_type: 'image/svg+xml' } };
  expect(findBlockFault(svg)).toBe('image_source');
});

test('a pointer is a whole hash and a size, and nothing else', () => {
  const good = stored(5);
  expect(Block.safeParse(good).success).toBe(true);
  for (const change of [{ sha256: '../x' }, { bytes: -1 }, { bytes: 1.5 }, { path: '/etc/passwd' }])
    expect(Block.safeParse({ ...good, source: { ...good.source, ...change } }).success).toBe(false);
});

test('images of a message and of its results are found and changed, everything else stays itself', () => {
  const text = { type: 'text' as const, text: 'a' };
  const message: Message = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 't', content: [text, inline(3)] },
      { type: 'tool_result', tool_use_id: 'u', content: 'plain' },
      { type: 'tool_result', tool_use_id: 'v' },
      inline(4),
      text,
    ],
  };
  expect(listImageBlocks(message)).toEqual([inline(3), inline(4)]);
  expect(mapImages(message, () => stored(9))).toEqual({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 't', content: [text, stored(9)] },
      { type: 'tool_result', tool_use_id: 'u', content: 'plain' },
      { type: 'tool_result', tool_use_id: 'v' },
      stored(9),
      text,
    ],
  });
  const plain: Message = { role: 'user', content: [text] };
  expect(mapImages(plain, () => stored(9))).toBe(plain);
});

test('every stored image of the entries is named once, whatever lane it is in', () => {
  const said = (id: string, ...content: Message['content']): Entry => ({
    ...{ version: 1, id, parents: [], lane: 'main', type: 'message', origin: 'human' },
    message: { role: 'user', content },
  });
  const other: ImageBlock = {
    ...stored(9),
    source: { ...stored(9).source, sha256: 'c'.repeat(64) } as ImageBlock['source'],
  };
  const layer: Entry = { version: 1, id: 'e3', parents: [], lane: 'main', type: 'layer', name: 'law', text: 'x' };
  const entries = [
    said('e1', stored(5), inline(5)),
    said('e2', { type: 'tool_result', tool_use_id: 't', content: [stored(5), other] }),
    layer,
  ];
  expect(listStoredImages(entries)).toEqual(['b'.repeat(64), 'c'.repeat(64)]);
  expect(listStoredImages([])).toEqual([]);
});
