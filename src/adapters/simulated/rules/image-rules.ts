/** Rules for images and PDF documents, by their bytes and their number (docs/internals/api-rules.md §2.7). */
import { isBase64 } from '../../../transcript/encoded-data.ts';
import { readImageFacts, type ImageFacts } from '../../../transcript/image-facts.ts';
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock } from '../request/turns.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';

const LARGE_WINDOW = 1_000_000;
const MAX_IMAGES = { small: 100, large: 600 };
const MAX_IMAGE_BASE64 = 10 * 1024 * 1024;
/** Above the number of images in one request, the smaller number of pixels holds. */
const MAX_PIXELS = { few: 8000, many: 2000, manyAbove: 20 };

export const IMAGE_RULES: readonly Rule<Submission>[] = [
  { id: 'image_count', check: imageCount },
  { id: 'image_size', check: imageSize },
  { id: 'image_base64', check: imageBase64 },
  { id: 'image_readable', check: imageReadable },
  { id: 'image_media_type', check: imageMediaType },
  { id: 'image_pixels', check: imagePixels },
  { id: 'document_readable', check: documentReadable },
];

function listBlocks({ turns }: Submission): IndexedBlock[] {
  return turns
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ at, block }) => [
      { at, block },
      ...(block.type === 'tool_result' && typeof block.content === 'object'
        ? block.content.map((inner, place) => ({ at: `${at}.content.${place}`, block: inner }))
        : []),
    ]);
}

function imageCount(submission: Submission): ApiError | undefined {
  const limit = submission.model.window >= LARGE_WINDOW ? MAX_IMAGES.large : MAX_IMAGES.small;
  const found = listBlocks(submission).filter(({ block }) => block.type === 'image').length;
  if (found > limit)
    return invalidRequest(`messages: at most ${limit} images are allowed for this model, found ${found}`);
  return undefined;
}

type SentImage = { at: string; mediaType: string; data: string };

function listSentImages(submission: Submission): SentImage[] {
  return listBlocks(submission).flatMap(({ at, block }) =>
    block.type === 'image' && block.source.type === 'base64'
      ? [{ at: `${at}.image.source.base64`, mediaType: block.source.media_type, data: block.source.data }]
      : [],
  );
}

function imageSize(submission: Submission): ApiError | undefined {
  const large = listSentImages(submission).find(({ data }) => data.length > MAX_IMAGE_BASE64);
  return large && invalidRequest(`${large.at}: image exceeds 10 MB maximum`);
}

function imageBase64(submission: Submission): ApiError | undefined {
  const wrong = listSentImages(submission).find(({ data }) => data === '' || !isBase64(data));
  return wrong && invalidRequest(`${wrong.at}: invalid base64 data`);
}

function readSentImage({ data }: SentImage): ImageFacts | undefined {
  const bytes = Buffer.from(data, 'base64');
  const facts = readImageFacts(bytes);
  // A picture whose last bytes are missing has a size all the same.
  return facts?.mediaType === 'image/png' && !bytes.includes('IEND') ? undefined : facts;
}

function imageReadable(submission: Submission): ApiError | undefined {
  const wrong = listSentImages(submission).find((image) => readSentImage(image) === undefined);
  return wrong && invalidRequest(`${wrong.at}: Could not process image`);
}

function imageMediaType(submission: Submission): ApiError | undefined {
  for (const image of listSentImages(submission)) {
    const found = readSentImage(image)?.mediaType;
    if (found !== undefined && found !== image.mediaType)
      return invalidRequest(`${image.at}: the media type is ${image.mediaType}, but the image appears to be ${found}`);
  }
  return undefined;
}

function imagePixels(submission: Submission): ApiError | undefined {
  const images = listSentImages(submission);
  const limit = images.length > MAX_PIXELS.manyAbove ? MAX_PIXELS.many : MAX_PIXELS.few;
  const large = images.find((image) => {
    const { width = 0, height = 0 } = readSentImage(image) ?? {};
    return width > limit || height > limit;
  });
  return large && invalidRequest(`${large.at}: image dimensions exceed max allowed size: ${limit} pixels`);
}

function documentReadable(submission: Submission): ApiError | undefined {
  for (const { at, block } of listBlocks(submission)) {
    if (block.type !== 'document' || block.source.type !== 'base64') continue;
    const data = block.source['data'];
    if (typeof data !== 'string' || !isBase64(data) || !Buffer.from(data, 'base64').includes('%PDF'))
      return invalidRequest(`${at}.document.source.base64: The PDF specified was not valid.`);
  }
  return undefined;
}
