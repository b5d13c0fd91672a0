/** Messages and blocks in the wire spelling of the Messages API, with every field that was received. */
import { z } from 'zod';

const text = z.object({ type: z.literal('text'), text: z.string() });
export type TextBlock = z.infer<typeof text>;

/** `stored` is never sent: the bytes are in a file named by their hash and are loaded for the call (S3.10). */
const ImageSource = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  z.strictObject({
    type: z.literal('stored'),
    media_type: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    bytes: z.int().nonnegative(),
    /** Pixels; absent where an earlier version stored the image. */
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
  }),
]);

export const ImageBlock = z.object({ type: z.literal('image'), source: ImageSource });
export type ImageBlock = z.infer<typeof ImageBlock>;

/** `thinking` may be empty: newer models omit the text and keep only the signature (docs/internals/api-rules.md §1.2). */
const thinking = z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
export type ThinkingBlock = z.infer<typeof thinking>;

const redactedThinking = z.object({ type: z.literal('redacted_thinking'), data: z.string() });

const toolUse = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  /** What the model wrote in place of a JSON object; `input` is then empty. It is not sent. */
  malformed: z.string().optional(),
});
export type ToolUseBlock = z.infer<typeof toolUse>;

const toolResult = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.union([text.loose(), ImageBlock.loose()]))]).optional(),
  is_error: z.boolean().optional(),
});
export type ToolResultBlock = Omit<z.infer<typeof toolResult>, 'content'> & {
  content?: string | (TextBlock | ImageBlock)[] | undefined;
};

/**
 * The API's own summary of the messages before it: sent back first and unchanged, in an assistant message of its own
 * (docs/internals/api-rules.md §5.4).
 */
export const CompactionBlock = z.looseObject({
  type: z.literal('compaction'),
  content: z.string().min(1),
  encrypted_content: z.string().nullish(),
  signature: z.string().nullish(),
});
export type CompactionBlock = z.infer<typeof CompactionBlock>;

/** A block of a kind unknown to this version: `wire` is sent back as it came and not used otherwise. */
const unknownBlock = z.strictObject({
  type: z.literal('unknown'),
  wire: z.looseObject({ type: z.string() }),
});
export type UnknownBlock = z.infer<typeof unknownBlock>;

/** The type of an unknown block that holds fields of its message, for APIs whose messages have more than content. */
const MESSAGE_FIELDS = 'message_fields';

export function createFieldsBlock(fields: Record<string, unknown>): UnknownBlock {
  return { type: 'unknown', wire: { type: MESSAGE_FIELDS, fields } };
}

/** Returns the fields of the message that a block holds. */
export function readFieldsBlock(block: Block): Record<string, unknown> | undefined {
  if (block.type !== 'unknown' || block.wire.type !== MESSAGE_FIELDS) return undefined;
  return { ...(block.wire['fields'] as object) };
}

export type Block =
  | TextBlock
  | ImageBlock
  | ThinkingBlock
  | z.infer<typeof redactedThinking>
  | ToolUseBlock
  | ToolResultBlock
  | CompactionBlock
  | UnknownBlock;

/**
 * The model's blocks are loose: every received field is sent back, because thinking may be bound to a field that is new
 * to this version (docs/internals/api-rules.md §2.5). The types name only the fields used here.
 */
export const Block = z.discriminatedUnion('type', [
  text.loose(),
  ImageBlock.loose(),
  thinking.loose(),
  redactedThinking.loose(),
  toolUse.loose(),
  toolResult.loose(),
  CompactionBlock,
  unknownBlock,
]) as z.ZodType<Block>;

export const Role = z.enum(['user', 'assistant', 'system']);
export type Role = z.infer<typeof Role>;

/** `content` is always an array: a plain string is normalised on entry. */
export const Message = z.strictObject({ role: Role, content: z.array(Block) });
export type Message = z.infer<typeof Message>;

/** A tool as the API takes it: the name must match `^[a-zA-Z0-9_-]{1,64}$` (docs/internals/api-rules.md §2.4). */
export const ToolDefinition = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  input_schema: z.looseObject({ type: z.literal('object') }),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const TokenCounts = z.object({
  input_tokens: z.number().int().nonnegative(),
  cache_creation_input_tokens: z.number().int().nonnegative().default(0),
  cache_read_input_tokens: z.number().int().nonnegative().default(0),
  output_tokens: z.number().int().nonnegative(),
});

/**
 * Token counts of one response; the total input is the sum of the three input fields (docs/internals/api-rules.md §4).
 * `iterations` is present when the server compacted: those of type `compaction` are billed but not in the totals
 * (docs/internals/compaction-cases.md T30).
 */
export const Usage = TokenCounts.extend({
  iterations: z.array(TokenCounts.extend({ type: z.string() })).optional(),
  /** Set when the answer came from a batch, which costs half. */
  service_tier: z.literal('batch').optional(),
  /** Tokens written to the one-hour cache, which costs more; absent means none. */
  cache_creation: z.object({ ephemeral_1h_input_tokens: z.number().int().nonnegative() }).optional(),
});
export type Usage = z.infer<typeof Usage>;

export const NO_USAGE: Usage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** Adds the tokens of two responses. Their costs cannot be derived from the sum, as prices may differ. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
  };
}

/** All input tokens of a response: `input_tokens` alone counts only those after the last cache mark. */
export function inputTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** The stop reasons that this version knows. */
export const KnownStopReason = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
  'compaction',
]);
export type KnownStopReason = z.infer<typeof KnownStopReason>;

/** The stop reason as the API sent it, including reasons unknown to this version. */
export const StopReason = z.string().min(1) as z.ZodType<StopReason>;
export type StopReason = KnownStopReason | (string & {});

/** Returns the visible text of a message, blocks joined by a newline; thinking is left out. */
export function getText(message: Pick<Message, 'content'>): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Lists the tool calls of a message in order. */
export function listToolUses(message: Pick<Message, 'content'>): ToolUseBlock[] {
  return message.content.filter((block) => block.type === 'tool_use');
}

/** Creates a user message of one text block. */
export function createUserMessage(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

export type CacheMark = { type: 'ephemeral'; ttl?: '5m' | '1h' };

/** A message with cache marks, which are set only when it is sent. */
export type SendableMessage = {
  readonly role: Message['role'];
  readonly content: readonly (Block & { cache_control?: CacheMark })[];
};

/** `index` is the message's index in the request, or -1 for the request as a whole. */
export type ProtocolFault = { rule: string; index: number; message: string };
