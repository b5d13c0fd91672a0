import { expect, test } from 'vitest';
import { readForeignFile, toSendableFile } from '../../src/transcript/images.ts';
import type { Block, TextBlock } from '../../src/transcript/message.ts';
import { BMP, pngOf } from '../support/images.ts';

const data = pngOf(3, 3).toString('base64');
const pdf = Buffer.from('%PDF-1.4').toString('base64');
const unknown = (wire: { type: string; [field: string]: unknown }): Block => ({ type: 'unknown', wire });

test.each([
  ['the Messages API', { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }, data],
  ['a document', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf } }, pdf],
  ['Chat Completions', { type: 'image_url', image_url: { url: `data:image/png;base64,${data}`, detail: 'low' } }, data],
  ['a file there', { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}` } }, pdf],
  ['the AI SDK', { type: 'image', image: data }, data],
  ['a file of the AI SDK', { type: 'file', data, mediaType: 'image/png' }, data],
  ['its other spelling', { type: 'file', data: { type: 'data', data }, mediaType: 'image/png' }, data],
  ['an output there', { type: 'image-data', data, mediaType: 'image/png' }, data],
])('the file in a part of %s is found', (_, wire, held) => {
  expect(readForeignFile(wire)?.data).toBe(held);
});

test.each([
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
  { type: 'image', image: 'https://example.com/a.png' },
  { type: 'file', file: { file_id: 'file_1' } },
  { type: 'file', data: 'UklGRg==', mediaType: 'audio/wav' },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
  { type: 'search_result', source: 'https://example.com' },
])('a part without such a file goes as it came: %j', (wire) => {
  const block = unknown(wire);
  expect(readForeignFile(wire)).toBeUndefined();
  expect(toSendableFile(block)).toBe(block);
});

test('one that no API takes becomes a text, in a message and in a result', () => {
  const bmp = BMP.toString('base64');
  const left = { type: 'text', text: '[An image is left out: it is no PNG, JPEG, GIF or WebP.]' };
  expect(toSendableFile(unknown({ type: 'image_url', image_url: { url: `data:image/bmp;base64,${bmp}` } }))).toEqual(
    left,
  );
  const wired: TextBlock & { wire: object } = {
    ...{ type: 'text', text: '[image-data]' },
    wire: { type: 'image-data', data: bmp, mediaType: 'image/bmp' },
  };
  expect(toSendableFile(wired)).toEqual(left);
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,PGh0bWw+' } };
  expect(toSendableFile(unknown(file))).toEqual({ type: 'text', text: '[A document is left out: it is no PDF.]' });
});

test('an image of the Messages API without its media type gets the one that its bytes say', () => {
  expect(toSendableFile(unknown({ type: 'image', source: { type: 'base64', data } }))).toEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  });
});
