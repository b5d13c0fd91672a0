/** Rules for the size of a request, by model (docs/internals/api-rules.md §2.7). */
import { totalTokens } from '../request/parts.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import type { Submission } from '../request/submission.ts';
import type { IndexedBlock } from '../request/turns.ts';

const LARGE_WINDOW = 1_000_000;
const MAX_IMAGES = { small: 100, large: 600 };
const MAX_IMAGE_BASE64 = 10 * 1024 * 1024;

export const SIZE_RULES: readonly Rule<Submission>[] = [
  { id: 'image_count', check: imageCount },
  { id: 'image_size', check: imageSize },
  { id: 'prompt_fits_window', check: promptFits },
];

function listImages({ turns }: Submission): IndexedBlock[] {
  return turns
    .flatMap(({ blocks }) => blocks)
    .flatMap(({ at, block }) => [
      { at, block },
      ...(block.type === 'tool_result' && typeof block.content === 'object'
        ? block.content.map((inner) => ({ at, block: inner }))
        : []),
    ])
    .filter(({ block }) => block.type === 'image');
}

function imageCount(submission: Submission): ApiError | undefined {
  const limit = submission.model.window >= LARGE_WINDOW ? MAX_IMAGES.large : MAX_IMAGES.small;
  const found = listImages(submission).length;
  return found > limit
    ? invalidRequest(`messages: at most ${limit} images are allowed for this model, found ${found}`)
    : undefined;
}

function imageSize(submission: Submission): ApiError | undefined {
  const large = listImages(submission).find(
    ({ block }) =>
      block.type === 'image' && block.source.type === 'base64' && block.source.data.length > MAX_IMAGE_BASE64,
  );
  return large === undefined ? undefined : invalidRequest(`${large.at}.source.base64: image exceeds 10 MB maximum`);
}

/** The output need not fit: generation stops when the window is full. Counting shows by how much a prompt is too long. */
function promptFits({ endpoint, parts, model }: Submission): ApiError | undefined {
  if (endpoint === 'count_tokens') return undefined;
  const total = totalTokens(parts);
  return total > model.window
    ? invalidRequest(`prompt is too long: ${total} tokens > ${model.window} maximum`)
    : undefined;
}
