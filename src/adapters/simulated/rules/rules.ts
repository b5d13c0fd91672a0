/** The API's rules for a well-formed request, in the order in which they are checked (docs/internals/api-rules.md §9). */
import { CACHE_RULES } from './cache-rules.ts';
import { IMAGE_RULES } from './image-rules.ts';
import { MODEL_RULES } from './model-rules.ts';
import { ORDER_RULES, THINKING_RULES } from './order-rules.ts';
import { PAIR_RULES } from './pair-rules.ts';
import { COMPACTION_RULES } from './compaction-rules.ts';
import type { Submission } from '../request/submission.ts';
import { type Rule, type ApiError, invalidRequest } from '../request/refusal.ts';
import { SCHEMA_RULES } from './schema-rules.ts';
import { SERVER_TOOL_RULES } from './server-tool-rules.ts';
import { TOOL_RULES } from './tool-rules.ts';
import { totalTokens } from '../request/parts.ts';

export const RULES: readonly Rule<Submission>[] = [
  ...COMPACTION_RULES,
  ...ORDER_RULES,
  ...PAIR_RULES,
  ...SERVER_TOOL_RULES,
  ...TOOL_RULES,
  ...SCHEMA_RULES,
  ...MODEL_RULES,
  ...CACHE_RULES,
  ...IMAGE_RULES,
  { id: 'prompt_fits_window', check: promptFits },
  ...THINKING_RULES,
];

/** The output need not fit: generation stops when the window is full. Counting shows by how much a prompt is too long. */
function promptFits({ endpoint, parts, model }: Submission): ApiError | undefined {
  if (endpoint === 'count_tokens') return undefined;
  const total = totalTokens(parts);
  if (total > model.window) return invalidRequest(`prompt is too long: ${total} tokens > ${model.window} maximum`);
  return undefined;
}
