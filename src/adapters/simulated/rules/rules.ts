/** The API's rules for a well-formed request, in the order in which they are checked (docs/internals/api-rules.md §9). */
import { CACHE_RULES } from './cache-rules.ts';
import { IMAGE_RULES } from './image-rules.ts';
import { MODEL_RULES } from './model-rules.ts';
import { ORDER_RULES } from './order-rules.ts';
import { PAIR_RULES } from './pair-rules.ts';
import { COMPACTION_RULES } from './compaction-rules.ts';
import type { Rule } from '../request/refusal.ts';
import { SCHEMA_RULES } from './schema-rules.ts';
import { SERVER_TOOL_RULES } from './server-tool-rules.ts';
import { SIZE_RULES } from './size-rules.ts';
import type { Submission } from '../request/submission.ts';
import { THINKING_RULES } from './thinking-rules.ts';
import { TOOL_RULES } from './tool-rules.ts';

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
  ...SIZE_RULES,
  ...THINKING_RULES,
];
