/** The API's answer in the harness's own shape: known fields of known blocks, and nothing else. */
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import type { ModelResponse } from '../../ports/model.ts';
import {
  CompactionBlock,
  RedactedThinkingBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
} from '../../transcript/message.ts';

/**
 * What an assistant message may hold here. `strip` drops what only the server adds (`citations`, `caller`,
 * `parsed_output`, …): sent back, some of it is refused (docs/api-rules.md §2.2).
 */
const AnswerBlock = z.discriminatedUnion('type', [
  TextBlock.strip(),
  ThinkingBlock.strip(),
  RedactedThinkingBlock.strip(),
  ToolUseBlock.strip(),
  // Goes back as it came, with every field (docs/api-rules.md §5.4).
  CompactionBlock,
]);

const count = z
  .int()
  .nonnegative()
  .nullish()
  .transform((value) => value ?? 0);

const COUNTS = {
  input_tokens: count,
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: count,
};

const Answer = z.object({
  id: z.string(),
  model: z.string(),
  content: z.array(AnswerBlock),
  stop_reason: StopReason,
  stop_details: z.object({ category: z.string().nullish(), explanation: z.string().nullish() }).nullish(),
  usage: z.object({
    ...COUNTS,
    iterations: z.array(z.object({ type: z.string(), ...COUNTS })).nullish(),
    service_tier: z.string().nullish(),
    cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish(),
  }),
});

/**
 * Contract: `model_refused`, not retryable, for an answer that cannot be stored: another try would be paid for and end
 * the same. Blank text blocks are left out, since the API refuses them when they come back (docs/api-rules.md §2.2).
 */
export function toModelResponse(message: unknown, requestId: string | undefined): ModelResponse {
  const answer = Answer.safeParse(message);
  if (!answer.success) throw unknownAnswer(message, answer.error, requestId);
  const { id, model, content, stop_reason: stopReason } = answer.data;
  const stopDetails = detailsOf(answer.data.stop_details);
  const usage = usageOf(answer.data.usage);
  const nonBlank = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  return { id, model, content: nonBlank, stopReason, usage, ...omitUndefined({ requestId, stopDetails }) };
}

/** Cut, because they are shown in one line. */
function detailsOf(details: z.infer<typeof Answer>['stop_details']): ModelResponse['stopDetails'] {
  if (!details) return undefined;
  const [category, explanation] = [details.category ?? undefined, details.explanation ?? undefined];
  return omitUndefined({ category, explanation: explanation?.slice(0, LONGEST_EXPLANATION) });
}

const LONGEST_EXPLANATION = 600;

/** What decides on the price, and nothing that is as usual. */
function usageOf(counted: z.infer<typeof Answer>['usage']): ModelResponse['usage'] {
  const { iterations, service_tier: tier, cache_creation: written, ...totals } = counted;
  const compacted = iterations?.some(({ type }) => type === 'compaction') === true;
  const hourly = written?.ephemeral_1h_input_tokens ?? 0;
  return {
    ...totals,
    ...(compacted ? { iterations } : {}),
    ...(tier === 'batch' ? { service_tier: tier } : {}),
    ...(hourly > 0 ? { cache_creation: { ephemeral_1h_input_tokens: hourly } } : {}),
  };
}

function unknownAnswer(message: unknown, error: z.ZodError, requestId: string | undefined): HarnessError {
  const issue = error.issues[0];
  const path = issue?.path.join('.') ?? '';
  const seen = seenAt(message, issue?.path ?? []);
  const where = seen === undefined ? path : `${path} = ${JSON.stringify(seen).slice(0, 80)}`;
  return new HarnessError(
    'model_refused',
    `The model's answer holds something that this harness never asks for and cannot keep (${where}: ${issue?.message ?? 'unknown'}). ` +
      'Check that ANTHROPIC_BASE_URL names a Messages API and that no proxy adds tools or betas to the request.',
    { details: { path, ...(requestId === undefined ? {} : { requestId }) } },
  );
}

/** The short value that was not understood, such as the name of a block type; never a whole block. */
function seenAt(message: unknown, path: readonly PropertyKey[]): unknown {
  const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), message);
  return typeof value === 'object' ? undefined : value;
}

function isRecord(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}
