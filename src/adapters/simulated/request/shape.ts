/** The schema of a request, whose unknown fields are refused (docs/internals/api-rules.md §2.2), and its merged turns. */
import { z } from 'zod';

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();
const Caller = z.strictObject({ type: z.literal('direct') }).nullish();

const TextBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  cache_control: CacheControl,
  citations: z.array(z.unknown()).nullish(),
});
const ImageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string().min(1),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  cache_control: CacheControl,
});
const DocumentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.looseObject({ type: z.string() }),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean() }).nullish(),
  cache_control: CacheControl,
});
const ThinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const RedactedThinkingBlock = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cache_control: CacheControl,
  caller: Caller,
  toolset_name: z.string().nullish(),
});
/** The search stands for all tools that the server runs. */
const ServerToolUseBlock = ToolUseBlock.extend({ type: z.literal('server_tool_use'), name: z.literal('web_search') });
const ServerResultBlock = z.strictObject({
  ...{
    type: z.literal('web_search_tool_result'),
    tool_use_id: z.string(),
    cache_control: CacheControl,
    caller: Caller,
  },
  content: z.union([z.array(z.looseObject({ type: z.string() })), z.looseObject({ type: z.string() })]),
});
const ToolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [TextBlock, ImageBlock, DocumentBlock]))])
    .optional(),
  is_error: z.boolean().optional(),
  cache_control: CacheControl,
  toolset_name: z.string().nullish(),
});
/** A block written by the API itself; nulls are allowed, and mean a failed compaction. */
const CompactionBlock = z.strictObject({
  type: z.literal('compaction'),
  content: z.string().nullish(),
  encrypted_content: z.string().nullish(),
  signature: z.string().nullish(),
  tool_changes: z.array(z.unknown()).nullish(),
  cache_control: CacheControl,
});
const ContentBlock = z.discriminatedUnion('type', [
  CompactionBlock,
  TextBlock,
  ImageBlock,
  DocumentBlock,
  ThinkingBlock,
  RedactedThinkingBlock,
  ToolUseBlock,
  ToolResultBlock,
  ServerToolUseBlock,
  ServerResultBlock,
]);
export type ContentBlock = z.infer<typeof ContentBlock>;

const ToolParam = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string(),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  cache_control: CacheControl,
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  input_examples: z.array(z.record(z.string(), z.unknown())).optional(),
});
export type ToolParam = z.infer<typeof ToolParam>;

const Parallel = { disable_parallel_tool_use: z.boolean().optional() };
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...Parallel }),
  z.strictObject({ type: z.literal('any'), ...Parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...Parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const Shown = {
  display: z.enum(['summarized', 'omitted']).nullish(),
  block_binding: z.strictObject({ prefix_mismatch_behavior: z.enum(['error', 'drop_block']).nullish() }).nullish(),
};
const Thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), ...Shown }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int(), ...Shown }),
  z.strictObject({ type: z.literal('between_tools') }),
  z.strictObject({ type: z.literal('disabled') }),
]);

const OutputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }).nullish(),
  task_budget: z
    .strictObject({ type: z.literal('tokens'), total: z.int().min(20_000), remaining: z.int().min(0).nullish() })
    .nullish(),
});

/** The fields that `count_tokens` accepts. */
const Counted = {
  model: z.string().min(1),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(ContentBlock)]),
    }),
  ),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(ToolParam).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: Thinking.optional(),
  output_config: OutputConfig.optional(),
  cache_control: CacheControl,
  compaction: z.strictObject({ type: z.literal('summarize'), instructions: z.string().nullish() }).nullish(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
};

export const CountRequest = z.strictObject(Counted);

export const ApiRequest = z.strictObject({
  ...Counted,
  max_tokens: z.int().min(0),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().nullish(),
  diagnostics: z.strictObject({ previous_message_id: z.string().nullish() }).nullish(),
});
/** A well-formed request; a request to count tokens is read as one without output. */
export type ApiRequest = z.infer<typeof ApiRequest>;

/** `at` is the block's path in the request as sent, which errors name. */
export type IndexedBlock = { at: string; block: ContentBlock };
export type MergedTurn = { role: 'user' | 'assistant' | 'system'; at: string; blocks: IndexedBlock[] };

/** The messages of a request as turns: consecutive messages of one role are merged (docs/internals/api-rules.md §2.1). */
export function mergeTurns(messages: ApiRequest['messages']): MergedTurn[] {
  const turns: MergedTurn[] = [];
  messages.forEach(({ role, content }, index) => {
    const at = `messages.${index}`;
    const blocks = toContentBlocks(content).map((block, place) => ({ at: `${at}.content.${place}`, block }));
    const last = turns.at(-1);
    // A compaction is a separate turn, because the answer after it was not part of it.
    if (last?.role === role && last.blocks[0]?.block.type !== 'compaction') last.blocks.push(...blocks);
    else turns.push({ role, at, blocks });
  });
  return turns;
}

/** A string is one text block; an empty string is no block at all. */
export function toContentBlocks(content: string | ContentBlock[]): ContentBlock[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** Lists a block, and those inside a result. */
export function listNestedBlocks({ at, block }: IndexedBlock): IndexedBlock[] {
  const nested = block.type === 'tool_result' && typeof block.content === 'object' ? block.content : [];
  return [{ at, block }, ...nested.map((inner, index) => ({ at: `${at}.content.${index}`, block: inner }))];
}

/** Finds the last turn in which a person speaks: user content that is no tool result. The open tool loop follows it. */
export function lastUserTurn(turns: readonly MergedTurn[]): number {
  return turns.findLastIndex(
    ({ role, blocks }) => role === 'user' && blocks.some(({ block }) => block.type !== 'tool_result'),
  );
}
