/** Rules about images and documents, by their bytes. */
import { BMP, gifOf, imageOf, paddedPng, pngOf } from '../../../support/images.ts';
import { assistant, result, use, user, type Json } from '../wire.ts';
import { go, image, on, asks, talk, withTools, type Row } from './row.ts';

const shown = (...images: Json[]) => talk(user('go', ...images));
const pictures = (count: number, first: Json): Json[] => [first, ...Array.from({ length: count - 1 }, () => image)];
const pdf = (data: string): Json => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(data).toString('base64') },
});

export const IMAGES_ROWS: Row[] = [
  {
    rule: 'image_count',
    case: '101 images on 200K',
    bad: on('claude-haiku-4-5', { messages: [user('go', ...pictures(101, image))] }),
    good: asks({ messages: [user('go', ...pictures(101, image))] }),
  },
  {
    rule: 'image_size',
    case: 'more than 10 MB',
    bad: shown({ ...imageOf(paddedPng(7_864_320)) }),
    good: shown({ ...imageOf(paddedPng(5_000_000)) }),
  },
  {
    rule: 'image_base64',
    case: 'a page of an error',
    bad: shown({ ...imageOf('<html>404</html>') }),
    good: shown(image),
  },
  {
    rule: 'image_base64',
    case: 'a data URL, in a result',
    bad: withTools(
      go,
      assistant(use('a')),
      user({ ...result('a'), content: [{ ...imageOf(`data:image/png;base64,${pngOf(1, 1).toString('base64')}`) }] }),
    ),
    good: withTools(go, assistant(use('a')), user({ ...result('a'), content: [image] })),
  },
  { rule: 'image_readable', case: 'a BMP', bad: shown({ ...imageOf(BMP) }), good: shown(image) },
  {
    rule: 'image_readable',
    case: 'cut to 60 bytes',
    bad: shown({ ...imageOf(pngOf(30, 30).subarray(0, 60)) }),
    good: shown({ ...imageOf(pngOf(30, 30)) }),
  },
  {
    rule: 'image_media_type',
    case: 'a GIF as a PNG',
    bad: shown({ ...imageOf(gifOf(3, 3), 'image/png') }),
    good: shown({ ...imageOf(gifOf(3, 3), 'image/gif') }),
  },
  {
    rule: 'image_pixels',
    case: '8,001 pixels',
    says: '8000 pixels',
    bad: shown({ ...imageOf(pngOf(8001, 1)) }),
    good: shown({ ...imageOf(pngOf(8000, 1)) }),
  },
  {
    rule: 'image_pixels',
    case: '2,001 pixels among 21 images',
    says: '2000 pixels',
    bad: shown(...pictures(21, { ...imageOf(pngOf(1, 2001)) })),
    good: shown(...pictures(20, { ...imageOf(pngOf(1, 2001)) })),
  },
  { rule: 'document_readable', case: 'no PDF', bad: shown(pdf('<html>')), good: shown(pdf('%PDF-1.7')) },
];
