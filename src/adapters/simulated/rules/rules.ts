/** The API's rules for a well-formed request, in the order in which they are checked (docs/internals/api-rules.md §9). */
import { CACHE_RULES } from './cache-rules.ts';
import { IMAGE_RULES } from './image-rules.ts';
import { MODEL_RULES } from './model-rules.ts';
import { ORDER_RULES, THINKING_RULES } from './order-rules.ts';
import { PAIR_RULES, SERVER_TOOL_RULES } from './pair-rules.ts';
import { COMPACTION_RULES } from './compaction-rules.ts';
import type { Submission } from '../request/submission.ts';
import type { Rules } from '../request/refusal.ts';
import { SCHEMA_RULES, TOOL_RULES } from './tool-rules.ts';
import { totalTokens } from '../request/parts.ts';

export const RULES: Rules<Submission> = {
  ...COMPACTION_RULES,
  ...ORDER_RULES,
  ...PAIR_RULES,
  ...SERVER_TOOL_RULES,
  ...TOOL_RULES,
  ...SCHEMA_RULES,
  ...MODEL_RULES,
  ...CACHE_RULES,
  ...IMAGE_RULES,
  /** The output need not fit: generation stops when the window is full. Counting shows by how much a prompt is too long. */
  prompt_fits_window: ({ endpoint, parts, model }) => {
    const total = totalTokens(parts);
    if (endpoint === 'count_tokens' || total <= model.window) return undefined;
    return `prompt is too long: ${total} tokens > ${model.window} maximum`;
  },
  ...THINKING_RULES,
};
