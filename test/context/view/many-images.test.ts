import { expect, test } from 'vitest';
import { leaveLargeImages } from '../../../src/context/view/many-images.ts';
import { view } from '../../../src/context/index.ts';
import { countImages } from '../../../src/transcript/bytes.ts';
import type { ImageBlock } from '../../../src/transcript/message.ts';
import { imageOf, pngOf } from '../../support/images.ts';
import { createLog } from '../../support/transcripts.ts';

const SMALL = imageOf(pngOf(2000, 3));
const LARGE = imageOf(pngOf(2001, 3));
const shown = (...content: ImageBlock[]) => [{ id: 'e1', message: { role: 'user' as const, content } }];

test('20 images of any size stay; of 21 those over 2,000 pixels leave, and a text says so', () => {
  const twenty = shown(LARGE, ...Array.from({ length: 19 }, () => SMALL));
  expect(leaveLargeImages(twenty)).toBeUndefined();
  expect(countImages(twenty[0]?.message ?? { content: [] })).toBe(20);
  const more = shown(LARGE, ...Array.from({ length: 20 }, () => SMALL));
  expect(leaveLargeImages(more)).toBe(0);
  expect(more[0]?.message.content[0]).toMatchObject({
    type: 'text',
    text: expect.stringContaining('over 2000 pixels'),
  });
  expect(leaveLargeImages(shown(...Array.from({ length: 30 }, () => SMALL)))).toBeUndefined();
});

test('in an open tool loop the thinking leaves with the image, and a text closes the loop', () => {
  const log = createLog();
  log.human('go');
  log.step([{ result: [LARGE] }], { think: 'I saw it' });
  for (let step = 0; step < 2; step += 1)
    log.step([{ result: Array.from({ length: 10 }, () => SMALL) }], { think: `then ${step}` });
  const { messages, rewrittenThrough } = view(log.entries);
  expect(JSON.stringify(messages)).not.toContain('"thinking"');
  expect(rewrittenThrough).toBe(messages.length);
  expect(messages.at(-1)?.content.at(-1)).toMatchObject({
    type: 'text',
    text: expect.stringContaining('left out now'),
  });
});
