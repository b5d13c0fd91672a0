/** Rules for the size of a request, by model (docs/internals/api-rules.md §2.7). */
import { totalTokens } from '../request/parts.ts';
import { type ApiError, type Rule, invalidRequest } from '../request/refusal.ts';
import type { Submission } from '../request/submission.ts';

export const SIZE_RULES: readonly Rule<Submission>[] = [{ id: 'prompt_fits_window', check: promptFits }];

/** The output need not fit: generation stops when the window is full. Counting shows by how much a prompt is too long. */
function promptFits({ endpoint, parts, model }: Submission): ApiError | undefined {
  if (endpoint === 'count_tokens') return undefined;
  const total = totalTokens(parts);
  return total > model.window
    ? invalidRequest(`prompt is too long: ${total} tokens > ${model.window} maximum`)
    : undefined;
}
