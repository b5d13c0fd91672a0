/** Rules for images and PDF documents, by their bytes and their number (docs/internals/api-rules.md §2.7). */
import { isBase64 } from '../../../transcript/encoded-data.ts';
import { readImageFacts, type ImageFacts } from '../../../transcript/image-facts.ts';
import type { Submission } from '../request/submission.ts';
import { listNestedBlocks, type IndexedBlock } from '../request/shape.ts';
import type { Rules } from '../request/refusal.ts';

const LARGE_WINDOW = 1_000_000;
const MAX_IMAGES = { small: 100, large: 600 };
const MAX_IMAGE_BASE64 = 10 * 1024 * 1024;
/** Above the number of images in one request, the smaller number of pixels holds. */
const MAX_PIXELS = { few: 8000, many: 2000, manyAbove: 20 };

export const IMAGE_RULES: Rules<Submission> = {
  image_count: (submission) => {
    const limit = submission.model.window >= LARGE_WINDOW ? MAX_IMAGES.large : MAX_IMAGES.small;
    const found = listBlocks(submission).filter(({ block }) => block.type === 'image').length;
    return found > limit && `messages: at most ${limit} images are allowed for this model, found ${found}`;
  },

  image_size: (submission) => {
    const large = listSentImages(submission).find(({ data }) => data.length > MAX_IMAGE_BASE64);
    return large && `${large.at}: image exceeds 10 MB maximum`;
  },

  image_base64: (submission) => {
    const wrong = listSentImages(submission).find(({ data }) => data === '' || !isBase64(data));
    return wrong && `${wrong.at}: invalid base64 data`;
  },

  image_readable: (submission) => {
    const wrong = listSentImages(submission).find((image) => readSentImage(image) === undefined);
    return wrong && `${wrong.at}: Could not process image`;
  },

  image_media_type: (submission) => {
    const wrong = listSentImages(submission).find((image) => readSentImage(image)?.mediaType !== image.mediaType);
    const found = wrong && readSentImage(wrong)?.mediaType;
    return wrong && `${wrong.at}: the media type is ${wrong.mediaType}, but the image appears to be ${found}`;
  },

  image_pixels: (submission) => {
    const images = listSentImages(submission);
    const limit = images.length > MAX_PIXELS.manyAbove ? MAX_PIXELS.many : MAX_PIXELS.few;
    const large = images.find((image) => {
      const { width = 0, height = 0 } = readSentImage(image) ?? {};
      return width > limit || height > limit;
    });
    return large && `${large.at}: image dimensions exceed max allowed size: ${limit} pixels`;
  },

  document_readable: (submission) => {
    const wrong = listBlocks(submission).find(({ block }) => {
      if (block.type !== 'document' || block.source.type !== 'base64') return false;
      const data = block.source['data'];
      return typeof data !== 'string' || !isBase64(data) || !Buffer.from(data, 'base64').includes('%PDF');
    });
    return wrong && `${wrong.at}.document.source.base64: The PDF specified was not valid.`;
  },
};

function listBlocks({ turns }: Submission): IndexedBlock[] {
  return turns.flatMap(({ blocks }) => blocks).flatMap(listNestedBlocks);
}

type SentImage = { at: string; mediaType: string; data: string };

function listSentImages(submission: Submission): SentImage[] {
  return listBlocks(submission).flatMap(({ at, block }) =>
    block.type === 'image' && block.source.type === 'base64'
      ? [{ at: `${at}.image.source.base64`, mediaType: block.source.media_type, data: block.source.data }]
      : [],
  );
}

function readSentImage({ data }: SentImage): ImageFacts | undefined {
  const bytes = Buffer.from(data, 'base64');
  const facts = readImageFacts(bytes);
  // A picture whose last bytes are missing has a size all the same.
  return facts?.mediaType === 'image/png' && !bytes.includes('IEND') ? undefined : facts;
}
